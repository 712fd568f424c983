import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { roleUrl } from '../../src/database/roles.ts'
import { withStudioWriter } from '../../src/importer/staging.ts'
import type { Instance } from '../scaling/processes.ts'
import { type Client, createClient, type Reply } from '../support/client.ts'
import { testSecretKey } from '../support/server.ts'
import type { List } from '../support/world.ts'

type Outcome = { at: number; took: number; status: number | string }

/** The numbers of an item's last begun, last acknowledged and last read write. */
export type Counted = { begun: number; acknowledged: number; shown: number }

/** Writers that know what was acknowledged; readers through the service that compare with it. */
export type Traffic = {
  /** The names of items whose insert was acknowledged, and of those tried, in their order. */
  acknowledged: Set<string>
  tried: string[]
  /** The items that are updated, by name: their manufacturer is the number of the write. */
  counted: Map<string, Counted>
  /** Names that answers have shown. */
  seen: Set<string>
  /** Answers that cannot be right. */
  wrong: string[]
  /** How many answers were a 304. */
  notModified(): number
  reads: Outcome[]
  writes: Outcome[]
  stop(): Promise<void>
}

type Item = { name: string; manufacturer: string | null }
/** What an answer with an ETag had. */
type Body = { digest: string; total: number; numbers: [string, number][] }
/** What has been acknowledged or shown before a request is sent: no answer may have less. */
type Least = { total: number; numbers: Map<string, number> }

const everything = '/v1/items?per_page=100'
const paths = [everything, `${everything}&category=Microphones`]
/** The network may have swallowed a statement, so the client gives up after this time. */
const patienceMs = 10_000

/** Each request goes to one instance, and after a failure to the other, as by a load balancer. */
export function startTraffic(
  url: string,
  studio: { id: string; token: string },
  instances: readonly Instance[],
): Traffic {
  const clients = instances.map(({ port }) => createClient(port))
  const traffic = { acknowledged: new Set<string>(), tried: [] as string[], seen: new Set<string>() }
  const counted = new Map<string, Counted>()
  const [wrong, reads, writes]: [string[], Outcome[], Outcome[]] = [[], [], []]
  /** By path: what was answered, by its ETag. */
  const answered = new Map(paths.map((path) => [path, new Map<string, Body>()]))
  let totalShown = 0
  let notModified = 0
  let done = false

  /** Runs a statement and says whether it was acknowledged. */
  async function accepted(text: string, values: unknown[]): Promise<boolean> {
    const at = performance.now()
    const late = AbortSignal.timeout(patienceMs)
    const writer = roleUrl(url, 'studio_writer', testSecretKey)
    const written = withStudioWriter(writer, studio.id, ({ query }) => query(text, [studio.id, ...values]), late)
    const status = await Promise.race([
      written.then((rows) => (rows.length === 1 ? 200 : 'no such row')),
      // The signal does not end a commit that got no answer.
      sleep(patienceMs + 500, 'no answer', { ref: false }),
    ]).catch(nameOf)
    written.catch(() => undefined)
    writes.push({ at, took: performance.now() - at, status })
    if (status === 'no such row') wrong.push(`no row for ${values}`)
    await rest()
    return status === 200
  }

  /** All writers pause every third second, so that the clients' versions stay valid for a while. */
  async function rest(): Promise<void> {
    await sleep(150)
    while (Math.floor(Date.now() / 1_000) % 3 === 0 && !done) await sleep(50)
  }

  /** Inserts an item and updates another one, in turns. */
  async function write(writer: number): Promise<void> {
    const name = `Counted ${writer}`
    const state: Counted = { begun: 1, acknowledged: 1, shown: 0 }
    traffic.tried.push(name)
    const first = `insert into app.items (studio_id, name, category, manufacturer) values ($1, $2, 'Microphones', '1') returning 1`
    if (!(await accepted(first, [name]))) throw new Error('nothing may fail before anything is broken')
    counted.set(name, state)
    traffic.acknowledged.add(name)
    const insert = `insert into app.items (studio_id, name, category) values ($1, $2, 'Drums & Percussion') returning 1`
    const update = 'update app.items set manufacturer = $3 where studio_id = $1 and name = $2 returning 1'
    for (let count = 1; !done; count += 1) {
      const item = `Item ${writer}.${count}`
      traffic.tried.push(item)
      if (await accepted(insert, [item])) traffic.acknowledged.add(item)
      state.begun += 1
      const number = state.begun
      if (await accepted(update, [name, String(number)])) state.acknowledged = number
    }
  }

  function leastNow(): Least {
    const numbers = [...counted].map(
      ([name, { acknowledged, shown }]) => [name, Math.max(acknowledged, shown)] as const,
    )
    return { total: Math.max(traffic.acknowledged.size, totalShown), numbers: new Map(numbers) }
  }

  /** What an answer has, or the one whose ETag it confirms; undefined when it cannot be right. */
  function bodyOf(path: string, tags: string[], reply: Reply<List<Item>>): Body | undefined {
    const known = answered.get(path)
    const tag = String(reply.headers.etag)
    if (reply.status === 304) {
      notModified += 1
      if (!tags.includes(tag)) wrong.push(`304 with ${tag}, which was not asked about`)
      return known?.get(tag)
    }
    const { data, meta } = reply.json
    for (const { name } of data) traffic.seen.add(name)
    const numbers = data.filter(({ name }) => counted.has(name)).map((item) => [item.name, Number(item.manufacturer)])
    const body = { digest: hash('sha256', reply.text), total: meta.total, numbers: numbers as Body['numbers'] }
    const before = known?.get(tag)
    if (before && before.digest !== body.digest) wrong.push(`two different answers have the ETag ${tag}`)
    known?.set(tag, body)
    return body
  }

  function compare(path: string, least: Least, { total, numbers }: Body): void {
    if (path === everything) {
      if (total < least.total) wrong.push(`${total} items, but ${least.total} were acknowledged or shown before`)
      if (total > traffic.tried.length) wrong.push(`${total} items, but ${traffic.tried.length} were tried`)
      totalShown = Math.max(totalShown, total)
    }
    for (const [name, number] of numbers) {
      const state = counted.get(name) as Counted
      const atLeast = least.numbers.get(name) ?? 0
      if (number < atLeast || number > state.begun) {
        wrong.push(`${name} shows ${number}, and not ${atLeast} to ${state.begun}`)
      }
      state.shown = Math.max(state.shown, number)
    }
  }

  /** Asks with what was answered last, and with two answers of any time before: of a timeline that
   * is lost, perhaps. */
  async function ask(client: Client | undefined): Promise<number | string> {
    const path = paths[Math.floor(Math.random() * paths.length)] ?? everything
    const held = [...(answered.get(path)?.keys() ?? [])]
    const any = () => held[Math.floor(Math.random() * held.length)]
    const tags = [held.at(-1), any(), any()].filter((tag) => tag !== undefined)
    const least = leastNow()
    try {
      const headers = tags.length ? { 'If-None-Match': tags.join(', ') } : {}
      const reply = await client?.get<List<Item>>(path, { token: studio.token, headers })
      if (reply?.status !== 200 && reply?.status !== 304) return reply?.status ?? 'none'
      const body = bodyOf(path, tags, reply)
      if (body) compare(path, least, body)
      return 200
    } catch (error) {
      return nameOf(error)
    }
  }

  async function read(reader: number): Promise<void> {
    for (let count = reader; !done; count += 1) {
      const at = performance.now()
      let status = await ask(clients[count % clients.length])
      if (status !== 200) status = await ask(clients[(count + 1) % clients.length])
      reads.push({ at, took: performance.now() - at, status })
      await sleep(100)
    }
  }

  const work = Promise.all([write(1), write(2), read(0), read(1), read(2)])
  work.catch(() => undefined)
  return {
    ...traffic,
    ...{ counted, wrong, reads, writes, notModified: () => notModified },
    async stop() {
      done = true
      await work
    },
  }
}

/** A SQLSTATE or the code of a socket, else what kind of error it is. */
function nameOf(error: unknown): string {
  const { code, name } = error as Error & { code?: unknown }
  return typeof code === 'string' ? code : name
}

/** Requests that have ended since a moment, those included that were under way then. */
export const endedSince = (outcomes: Outcome[], from: number) => outcomes.filter(({ at, took }) => at + took > from)
