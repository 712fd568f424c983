import { setTimeout as sleep } from 'node:timers/promises'
import type { Cell } from '../../src/apps/mover/cell.ts'
import { sqlState } from '../../src/database/errors.ts'
import type { Client } from '../support/client.ts'
import type { List } from '../support/world.ts'
import { type OwnStudio, writeAs } from './own-database.ts'

/** What was seen while a studio was read and written. */
export type Seen = {
  reads: number
  writes: number
  /** Reads that were not answered, or answered with something that was not in the database at that moment. */
  wrong: string[]
  /** For how long none of the writes was accepted at most, in milliseconds. */
  longestStop: number
  /** What a client that polls has missed in the end: items whose last write it does not have. */
  missed: string[]
}

/** The number of the last write of an item that was begun, and of the last that was accepted. */
type Written = { begun: number; accepted: number }

/**
 * Writes to items, each in turn in the cell that accepts it, and reads them through the service. Every answer is compared with what was
 * written: each item shows a write no older than the last that was accepted before the request, and no newer than the last that
 * was begun before the answer.
 */
export function load(cells: readonly Cell[], studio: OwnStudio, client: Client): { stop(): Promise<Seen> } {
  const seen: Seen = { reads: 0, writes: 0, wrong: [], longestStop: 0, missed: [] }
  const written = new Map<string, Written>()
  let running = true
  let lastAccepted = performance.now()
  let at = 0

  async function write(name: string): Promise<void> {
    const state: Written = { begun: 0, accepted: 0 }
    written.set(name, state)
    while (running) {
      state.begun += 1
      const text =
        state.begun === 1
          ? `insert into app.items (studio_id, name, category, manufacturer) values ($1, $2, 'Microphones', $3)`
          : `update app.items set manufacturer = $3 where studio_id = $1 and name = $2`
      while (!(await accepted(text, [studio.id, name, String(state.begun)]))) await sleep(5)
      state.accepted = state.begun
      seen.writes += 1
      seen.longestStop = Math.max(seen.longestStop, performance.now() - lastAccepted)
      lastAccepted = performance.now()
      await sleep(Math.random() * 20)
    }
  }

  /** Whether one of the cells accepted a write; they are tried in turn while they refuse, as an importer would. */
  async function accepted(text: string, values: unknown[]): Promise<boolean> {
    const cell = cells[at % cells.length]
    if (cell === undefined) throw new Error('there are no cells')
    try {
      await writeAs(cell.url, studio, `${text} returning 1`, values).then((rows) => {
        // A cell that does not have the row would not say so.
        if (Array.isArray(rows) && rows.length !== 1) throw Object.assign(new Error('no such row'), { code: 'SI503' })
      })
      return true
    } catch (error) {
      // SI503: the studio is not written here now; 23503: it was never here.
      if (!['SI503', '23503'].includes(sqlState(error) ?? '')) throw error
      at += 1
      return false
    }
  }

  async function read(): Promise<void> {
    while (running) {
      const before = new Map([...written].map(([name, { accepted }]) => [name, accepted]))
      const page = `/v1/items?per_page=100&category=Microphones`
      const reply = await client.get<List<{ name: string; manufacturer: string }>>(page, { token: studio.token })
      seen.reads += 1
      if (reply.status !== 200) {
        seen.wrong.push(`status ${reply.status}: ${reply.text}`)
        continue
      }
      const shown = new Map(reply.json.data.map(({ name, manufacturer }) => [name, Number(manufacturer)]))
      for (const [name, least] of before) {
        const is = shown.get(name) ?? 0
        const most = written.get(name)?.begun ?? 0
        if (is < least || is > most) seen.wrong.push(`${name} shows ${is}, and not ${least} to ${most}`)
      }
      await sleep(Math.random() * 10)
    }
  }

  /** A client that polls from the moment that it was given last; what it has in the end is compared with what was written last. */
  const polled = new Map<string, number>()
  let from = new Date(Date.now() - 60_000).toISOString()
  async function poll(): Promise<void> {
    const path = `/v1/items?per_page=100&category=Microphones&updated_since=${encodeURIComponent(from)}`
    const reply = await client.get<List<{ name: string; manufacturer: string }>>(path, { token: studio.token })
    if (reply.status !== 200) return void seen.wrong.push(`status ${reply.status} of a poll`)
    for (const { name, manufacturer } of reply.json.data) polled.set(name, Number(manufacturer))
    from = String(reply.headers['next-updated-since'] ?? from)
  }
  async function pollOnAndOn(): Promise<void> {
    while (running) {
      await poll()
      await sleep(50)
    }
  }
  const missing = () => [...written].filter(([name, { accepted }]) => polled.get(name) !== accepted)

  const clients = [...['A', 'B', 'C'].map((name) => write(`Item ${name} ${Date.now()}`)), read(), read(), pollOnAndOn()]
  const failed = Promise.all(clients)
  failed.catch(() => undefined)
  return {
    async stop() {
      running = false
      await failed
      // Lists that are polled are a heartbeat or two behind.
      for (const end = performance.now() + 30_000; missing().length > 0 && performance.now() < end; ) {
        await poll()
        await sleep(100)
      }
      seen.missed = missing().map(([name, { accepted }]) => `${name} shows ${polled.get(name)} and not ${accepted}`)
      return seen
    },
  }
}
