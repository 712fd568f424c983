/** The progress of long work. */
export type Progress = {
  /** A stage begins. With a total, `at` counts its parts. */
  stage(what: string, total?: number): void
  /** How much of the total is done, and how many rows, if the total is not rows. */
  at(done: number, rows?: number): void
}

export const noProgress: Progress = { stage: () => undefined, at: () => undefined }

export const counted = (rows: number): string => rows.toLocaleString('en-GB')

const secondsBetweenLines = 5

/** Writes a line when a stage begins, and every few seconds. */
export function showProgress(remark: (line: string) => void): Progress {
  let [what, total, last] = ['', 0, 0]
  return {
    stage(next, all = 0) {
      ;[what, total, last] = [next, all, Date.now()]
      remark(`${what} …`)
    },
    at(done, rows) {
      if (Date.now() - last < secondsBetweenLines * 1000) return
      last = Date.now()
      const share = total > 0 ? [`${Math.floor((100 * done) / total)} %`] : []
      remark(`${what}: ${[...(rows === undefined ? [] : [`${counted(rows)} rows`]), ...share].join(', ')}`)
    },
  }
}
