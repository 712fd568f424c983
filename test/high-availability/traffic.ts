import { setTimeout as sleep } from 'node:timers/promises'
import { type OwnStudio, writeAs } from '../scaling/own-database.ts'
import type { Instance } from '../scaling/processes.ts'
import { type Client, createClient } from '../support/client.ts'
import type { List } from '../support/world.ts'

type Outcome = { at: number; took: number; status: number | string }

/** Writers that know what was acknowledged, and readers through the service that compare with it. */
export type Traffic = {
  /** The names of items whose commit was acknowledged, and of those that were tried, in their order. */
  acknowledged: Set<string>
  tried: string[]
  /** Names that an answer had. */
  seen: Set<string>
  /** What was answered and cannot be right. */
  wrong: string[]
  reads: Outcome[]
  writes: Outcome[]
  stop(): Promise<void>
}

/** Each request goes to one instance, and after a failure to the other, as by a load balancer. */
export function startTraffic(url: string, studio: OwnStudio, instances: readonly Instance[]): Traffic {
  const clients = instances.map(({ port }) => createClient(port))
  const traffic = { acknowledged: new Set<string>(), tried: [] as string[], seen: new Set<string>() }
  const [wrong, reads, writes]: [string[], Outcome[], Outcome[]] = [[], [], []]
  let done = false

  async function write(writer: number): Promise<void> {
    for (let count = 1; !done; count += 1) {
      const name = `Item ${writer}.${count}`
      traffic.tried.push(name)
      const at = performance.now()
      const status = await writeAs(
        url,
        studio,
        `insert into app.items (studio_id, name, category) values ($1, $2, 'Microphones')`,
        [studio.id, name],
      ).then(
        () => 200,
        (error) => String(error.code ?? error.name),
      )
      if (status === 200) traffic.acknowledged.add(name)
      writes.push({ at, took: performance.now() - at, status })
      await sleep(150)
    }
  }

  async function ask(client: Client | undefined): Promise<number | string> {
    const known = traffic.acknowledged.size
    try {
      const reply = await client?.get<List<{ name: string }>>('/v1/items?per_page=100', { token: studio.token })
      if (reply?.status !== 200) return reply?.status ?? 'none'
      const { data, meta } = reply.json
      if (meta.total < known) wrong.push(`${meta.total} items were answered, but ${known} had been acknowledged`)
      if (meta.total > traffic.tried.length) wrong.push(`${meta.total} items, but ${traffic.tried.length} were tried`)
      for (const { name } of data) traffic.seen.add(name)
      return 200
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error)
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

  const work = [write(1), write(2), read(0), read(1), read(2)]
  return {
    ...traffic,
    ...{ wrong, reads, writes },
    async stop() {
      done = true
      await Promise.all(work)
    },
  }
}

/** One line of the table: what failed since a moment, and for how long. */
export function lineOf(what: string, { reads, writes }: Traffic, from: number): object {
  const side = (outcomes: Outcome[]) => {
    const since = outcomes.filter(({ at }) => at >= from)
    const failed = since.filter(({ status }) => status !== 200)
    const [first, last] = [failed[0], failed.at(-1)]
    const seconds = first && last ? (last.at + last.took - first.at) / 1000 : 0
    return {
      all: since.length,
      failed: failed.length,
      seconds: seconds.toFixed(1),
      as: [...new Set(failed.map(({ status }) => status))],
    }
  }
  const [read, written] = [side(reads), side(writes)]
  return {
    what,
    reads: read.all,
    'reads failed': read.failed,
    'as ': read.as.join(' '),
    'for s': read.seconds,
    writes: written.all,
    'writes failed': written.failed,
    as: written.as.join(' '),
    'for s ': written.seconds,
  }
}
