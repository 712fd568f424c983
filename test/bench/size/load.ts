import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, withClient } from '../../../src/database/client.ts'
import { asOwner } from '../../../src/database/session.ts'
import { setLogged, setUnlogged } from './logged.ts'
import { enoughSpace } from './space.ts'
import { copyStatements, largeTables, makeTemplate } from './template.ts'

export type Wanted = { studios: number; items: number; minutes: number }
export type Loaded = { studios: number; items: number; seconds: number; stopped: string | undefined }

/**
 * Loads studios in two sessions, in the order of their ids, so that every index grows in two places only; a third session marks what
 * is there as visible and frozen while it is still in memory. Goes on where an earlier run stopped. Indexes stay: built at the end, each would read the whole table.
 * Foreign keys' checks and triggers are off, and the large tables write no log. Stops by itself when time or space run out.
 */
export async function load(
  adminUrl: string,
  wanted: Wanted,
  folder: string,
  say: (text: string) => void,
): Promise<Loaded> {
  const began = performance.now()
  const elapsed = () => (performance.now() - began) / 1000
  if (await isNew(adminUrl)) {
    await withClient(adminUrl, (client) => makeTemplate(client, adminUrl, wanted.items))
    say('the template is made')
    await makeStudios(adminUrl, wanted.studios)
    say(`${wanted.studios} studios, each with an owner and a token`)
  }
  const ids = await withClient(adminUrl, async (client) => {
    await client.query('alter table app.items disable trigger d_store_document')
    await setUnlogged(client, largeTables)
    const { rows } = await client.query<{ id: string }>(
      `select id from app.studios where name like 'Studio %' and id not in (select studio_id from bench.loaded) order by id`,
    )
    return rows.map(({ id }) => id)
  })
  const state = { done: 0, stopped: undefined as string | undefined, over: false }
  const half = Math.ceil(ids.length / 2)
  const workers = [ids.slice(0, half), ids.slice(half)].map((part) => work(adminUrl, part, state))
  const settler = settle(adminUrl, state)
  const watcher = watch(state, wanted, folder, elapsed, say)
  await Promise.all(workers)
  state.over = true
  await Promise.all([settler, watcher])
  await withClient(adminUrl, async (client) => {
    // What has been committed without being flushed cannot be marked yet.
    await client.query('checkpoint')
    for (const table of largeTables) await vacuum(client, table)
    await client.query('checkpoint')
    await setLogged(client, largeTables)
    await client.query('alter table app.items enable always trigger d_store_document')
  })
  return { studios: state.done, items: state.done * wanted.items, seconds: elapsed(), stopped: state.stopped }
}

/** Whether there is nothing yet, and not what an earlier run has loaded in the time that it had. */
function isNew(adminUrl: string): Promise<boolean> {
  return withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ is_new: boolean }>(`select to_regclass('bench.loaded') is null as is_new`)
    return rows[0]?.is_new !== false
  })
}

type State = { done: number; stopped: string | undefined; over: boolean }

async function work(adminUrl: string, ids: string[], state: State): Promise<void> {
  await withClient(adminUrl, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query('set jit = off')
    const statements = await copyStatements(client)
    for (const id of ids) {
      if (state.stopped !== undefined) break
      const some = [id]
      await client.query('begin')
      for (const [at, text] of statements.entries()) await client.query({ name: `copy ${at}`, text, values: [some] })
      await client.query('insert into bench.loaded select unnest($1::uuid[])', [some])
      await client.query('commit')
      state.done += 1
    }
  })
}

/** Vacuums what was added since the last time, again and again. */
async function settle(adminUrl: string, state: State): Promise<void> {
  await withClient(adminUrl, async (client) => {
    while (!state.over) {
      for (const table of largeTables) await vacuum(client, table)
      for (let n = 0; n < 20 && !state.over; n++) await sleep(1_000)
    }
  })
}

async function vacuum(client: Client, table: string): Promise<void> {
  await client.query(`vacuum (freeze, index_cleanup off, truncate off) app.${table}`)
}

async function watch(state: State, wanted: Wanted, folder: string, elapsed: () => number, say: (text: string) => void) {
  let before = { done: 0, at: elapsed() }
  for (let n = 1; !state.over; n++) {
    await sleep(1_000)
    const space = await enoughSpace(folder)
    if (space.reason) state.stopped ??= space.reason
    if (elapsed() > wanted.minutes * 60) state.stopped ??= `${wanted.minutes} minutes were over`
    if (n % 60 > 0) continue
    const now = { done: state.done, at: elapsed() }
    const rate = ((now.done - before.done) * wanted.items) / (now.at - before.at)
    say(`${now.done} studios, ${Math.round(rate)} items/s, ${space.text}`)
    before = now
  }
}

/** Studios of owners with a token each, the digest of which follows from the studio's number. */
async function makeStudios(adminUrl: string, studios: number): Promise<void> {
  const part = 250
  const next = { from: 1 }
  const one = async () => {
    while (next.from <= studios) {
      const from = next.from
      next.from += part
      const numbers = [from, Math.min(from + part - 1, studios)]
      await asOwner(adminUrl, async (transaction) => {
        await transaction.query(makeSome, numbers)
        await transaction.query(issueSome, numbers)
      })
    }
  }
  await Promise.all([one(), one()])
}

const makeSome = `
  select access.create_studio('Studio ' || n, 'owner.' || n || '@example.com', 'Olga Owner', 'studio')
  from generate_series($1::integer, $2::integer) as n`

const issueSome = `
  select t.prefix from app.studios s
  cross join lateral (select substr(s.name, 8) as n) as n
  cross join lateral access.issue_token(s.id, access.owner_of(s.id), 'benchmark', null, 'size',
    sha256(convert_to('pro ' || n.n, 'UTF8')), sha256(convert_to('token ' || n.n, 'UTF8')), null, null) as t
  where s.name = any (select 'Studio ' || g from generate_series($1::integer, $2::integer) as g)`
