import { Presets, SingleBar } from 'cli-progress'

export type Progress = {
  /** A stage begins. With a total, its parts are counted by `at`. */
  stage(what: string, total?: number): void
  /** So much of the total is done; so many rows have been seen, where rows are what is counted. */
  at(done: number, rows?: number): void
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
    process.removeListener('exit', end)
  }
  return {
    stage(what, total) {
      end()
      // The cursor is visible again however the process ends.
      process.once('exit', end)
      const format = total ? '{what} [{bar}] {percentage}%{rows}' : '{what} …{rows}'
      const barsize = Math.max(10, Math.min(40, stream.columns - what.length - 30))
      bar = new SingleBar({ format, stream, barsize, hideCursor: true, clearOnComplete: false, fps: 10 }, Presets.rect)
      bar.start(total || 1, 0, { what, rows: '' })
    },
    at: (done, rows) => bar?.update(done, rows === undefined ? {} : { rows: ` | ${counted(rows)} rows` }),
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
      const parts = [
        rows === undefined ? '' : `${counted(rows)} rows`,
        total ? `${Math.floor((100 * done) / total)} %` : '',
      ]
      remark(`${what}: ${parts.filter((part) => part !== '').join(', ')}`)
    },
    end: () => undefined,
  }
}
