import pg from 'pg'
import { inject } from 'vitest'

/** In the project `replica`, the services of all tests read from a replica of their server. */
const port = inject('replicaPort') as number | undefined

/** The same database on the replica; undefined without one. */
export function replicaUrlOf(url: string): string | undefined {
  return port === undefined ? undefined : url.replace(/:\d+\//, `:${port}/`)
}

/** A replica that is kept from following, by a lock say, is not waited for. */
const longestMs = 1_000

/** Waits until the replica has all that the primary has now. */
export async function replicaCaughtUp(adminUrl: string): Promise<void> {
  const replica = replicaUrlOf(adminUrl)
  if (replica === undefined) return
  const end = performance.now() + longestMs
  const position = await ask(adminUrl, 'select pg_current_wal_lsn()::text as at')
  while (performance.now() < end) {
    const { done } = await ask(replica, `select pg_last_wal_replay_lsn() >= '${position.at}'::pg_lsn as done`)
    if (done === true) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** One connection to each server, of this test file. */
const clients = new Map<string, Promise<pg.Client>>()

async function ask(url: string, text: string): Promise<Record<string, unknown>> {
  const server = url.replace(/\/[^/]*$/, '/postgres')
  const connecting = clients.get(server) ?? connect(server)
  clients.set(server, connecting)
  const { rows } = await (await connecting).query(text)
  return rows[0]
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => clients.delete(url))
  await client.connect()
  return client
}
