/** Requests that wait for a server with capacity, in the order of their arrival. */
export type WaitingLine<Server> = {
  /** The next server with capacity, which is taken; undefined when there was none in time. */
  next(): Promise<Server | undefined>
  /** To be called when there may be capacity again. */
  serve(): void
}

export type WaitingLineOptions<Server> = {
  /** Reserves a server for the request that has waited longest; undefined while none has capacity for it. */
  take(waitedMs: number): Server | undefined
  /** After this time `take` is called again, as it may answer differently, in milliseconds. */
  againAfterMs: number
  /** How long a request waits, in milliseconds. */
  timeoutMs: number
}

export function createWaitingLine<Server>(options: WaitingLineOptions<Server>): WaitingLine<Server> {
  const { take, againAfterMs, timeoutMs } = options
  const waiting = new Map<(server: Server | undefined) => void, number>()

  function serve(): void {
    const now = performance.now()
    for (const [end, since] of waiting) {
      const server = take(now - since)
      if (server === undefined) return
      end(server)
    }
  }

  return {
    serve,
    next: () =>
      new Promise((resolve) => {
        const timers: NodeJS.Timeout[] = []
        const end = (server: Server | undefined) => {
          for (const timer of timers) clearTimeout(timer)
          waiting.delete(end)
          resolve(server)
        }
        waiting.set(end, performance.now())
        serve()
        if (!waiting.has(end)) return
        timers.push(setTimeout(serve, againAfterMs), setTimeout(end, timeoutMs, undefined))
      }),
  }
}
