import type { ServerResponse } from 'node:http'

const place = Symbol('place among the open responses')

type Open = ServerResponse & { [place]?: number }

/**
 * The responses that have not ended. No Set: V8 gives a Set that is added to and deleted from another table every few dozen
 * times, and each table that it drops keeps alive what was in it until the old generation is collected. Of a busy server that would
 * be every response, with all that it refers to: [docs/performance.md](../../docs/performance.md).
 */
export class OpenResponses {
  readonly #open: Open[] = []

  get size(): number {
    return this.#open.length
  }

  add(response: Open): void {
    response[place] = this.#open.push(response) - 1
  }

  /** Of one that is there. The last takes its place. */
  delete(response: Open): void {
    const last = this.#open.pop()
    const index = response[place]
    if (last === undefined || last === response || index === undefined) return
    this.#open[index] = last
    last[place] = index
  }

  [Symbol.iterator](): Iterator<ServerResponse> {
    return this.#open.values()
  }
}
