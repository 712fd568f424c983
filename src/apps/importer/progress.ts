import { Presets, SingleBar } from 'cli-progress'

/** How far an import has come. */
export type Progress = {
  /** A stage begins. With a total, its parts are counted by `at`. */
  stage(what: string, total?: number): void
  /** So much of the total is done; `rows` have been seen. */
  at(done: number, rows: number): void
  end(): void
}

export const noProgress: Progress = { stage: () => undefined, at: () => undefined, end: () => undefined }

/** A bar on a terminal, and elsewhere a line per stage and every few seconds. */
export function showProgress(stream: NodeJS.WriteStream, remark: (line: string) => void): Progress {
  return stream.isTTY ? barOn(stream) : linesTo(remark)
}

export const counted = (rows: number): string => rows.toLocaleString('en-GB')

function barOn(stream: NodeJS.WriteStream): Progress {
  let bar: SingleBar | undefined
  const end = () => {
    bar?.stop()
    bar = undefined
  }
  return {
    stage(what, total) {
      end()
      const format = total
        ? '{what} [{bar}] {percentage}% | {rows} rows | {duration_formatted}'
        : '{what} … {duration_formatted}'
      bar = new SingleBar({ format, stream, hideCursor: true, clearOnComplete: false, fps: 5 }, Presets.rect)
      bar.start(total || 1, 0, { what, rows: '0' })
    },
    at: (done, rows) => bar?.update(done, { rows: counted(rows) }),
    end,
  }
}

const secondsBetweenLines = 5

function linesTo(remark: (line: string) => void): Progress {
  let [what, total, last]: [string, number | undefined, number] = ['', undefined, Date.now()]
  return {
    stage(next, all) {
      what = next
      total = all
      last = Date.now()
      remark(`${what} …`)
    },
    at(done, rows) {
      if (Date.now() - last < secondsBetweenLines * 1000) return
      last = Date.now()
      const share = total ? `, ${Math.floor((100 * done) / total)} %` : ''
      remark(`${what}: ${counted(rows)} rows${share}`)
    },
    end: () => undefined,
  }
}
