const DAY_MS = 24 * 60 * 60 * 1000
const RETRY_MS = 10 * 60 * 1000

/**
 * Runs `work` now and once a day from then on, until the returned function is called. A failure is handed to `failed`
 * and the work is tried again ten minutes later. Never keeps the process alive.
 */
export function runDaily(work: () => Promise<void>, failed: (error: unknown) => void): () => void {
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function run(): Promise<void> {
    let delay = DAY_MS
    try {
      await work()
    } catch (error) {
      delay = RETRY_MS
      if (!stopped) failed(error)
    }
    if (!stopped) timer = setTimeout(run, delay).unref()
  }

  void run()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
