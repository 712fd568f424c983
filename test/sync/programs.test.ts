import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Limiter } from '../../src/auth/limiter.ts'
import { createPool } from '../../src/database/pool.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { type Heartbeat, startHeartbeat } from '../../src/process/heartbeat.ts'
import { example } from '../reference/document.ts'
import { beside } from '../support/beside.ts'
import { asRole } from '../support/server.ts'
import { generous, type TestService } from '../support/service.ts'
import { type List, useWorld } from '../support/world.ts'
import { leakyProxy } from './leaky-proxy.ts'

/** The programs of /docs, as they stand there, against the service and a database that is written to. */
vi.setConfig({ testTimeout: 60_000 })
const world = useWorld()
const run = promisify(execFile)
let heartbeat: Heartbeat
let closePool: () => Promise<void>
let root: string

beforeAll(async () => {
  const log = makeLogger({ level: 'silent' })
  const options = {
    applicationName: 'test heartbeat',
    size: 1,
    acquireTimeoutMs: 5_000,
    statementTimeoutMs: 5_000,
    log,
  }
  const pool = createPool(world.database.urlFor('studio_recorder'), options)
  closePool = async () => void (await pool.close())
  heartbeat = await startHeartbeat(pool, log)
  await allVisible()
  root = await mkdtemp(join(tmpdir(), 'studio-inventory-programs-'))
})
afterAll(async () => {
  await heartbeat?.stop()
  await closePool?.()
  if (root) await rm(root, { recursive: true })
})

const lists = ['items', 'locations', 'maintenance', 'policies'] as const
type Copy = Record<(typeof lists)[number], Record<string, { id: string }>> & { since: string }
type Studio = Awaited<ReturnType<typeof furnishedStudio>>

/** A studio whose items fill some pages, and a policy, a room and a maintenance record of each kind that can go. */
async function furnishedStudio() {
  const studio = await world.newStudio()
  const add = (table: string, columns: object) => world.add(table, columns, studio.id)
  await world.write(
    ({ query }) =>
      query(
        `insert into app.items (studio_id, name, category, purchase_price)
         select $1, 'Item ' || n, 'Microphones', n from generate_series(1, 230) as n`,
        [studio.id],
      ),
    studio.id,
  )
  const item = await add('items', { name: 'Tape machine' })
  for (let count = 0; count < 5; count += 1) {
    await add('policies', { name: `Policy ${count}`, effective_start: '2020-01-01' })
    await add('locations', { name: `Room ${count}` })
    await add('maintenance_records', { item_id: item, title: `Service ${count}` })
  }
  return studio
}

/** A program of the page in a folder of its own, for the API at an address; each call of `sync` runs it once more and returns its copy. */
async function program(file: string, command: string, service: TestService, token: string, address = service.url) {
  const page = await (await fetch(`${service.url}/docs`)).text()
  const folder = await mkdtemp(join(root, 'copy-'))
  const name = file.replace('.js', '.mjs')
  const source = example(page, file)
  expect(source).toContain(`${service.url}/v1`)
  await writeFile(
    join(folder, name),
    source.replace(service.url, () => address),
  )
  const output = async () => {
    const env = { PATH: process.env.PATH, TOKEN: token }
    return (await run(command, [name], { cwd: folder, env })).stdout
  }
  const copy = async (): Promise<Copy> => JSON.parse(await readFile(join(folder, 'copy.json'), 'utf8'))
  return { output, copy, sync: () => output().then(copy) }
}

/** Waits until all that is written can no longer be held back. */
async function allVisible(): Promise<void> {
  const now = Date.now()
  const watermark = async () => {
    const [row] = await world.owner<{ at: string }>('select extract(epoch from access.watermark()) * 1000 as at')
    return Number(row?.at)
  }
  await vi.waitUntil(async () => (await watermark()) > now, { timeout: 60_000, interval: 100 })
}

/** What the studio's lists hold, read by page numbers while nobody writes. */
async function held({ token }: Studio): Promise<Omit<Copy, 'since'>> {
  const read = async (list: string) => {
    const records: Record<string, { id: string }> = {}
    for (let page: number | null = 1; page !== null; ) {
      const { data, meta }: List<{ id: string }> = await world.read(`/v1/${list}?per_page=100&page=${page}`, { token })
      for (const record of data) records[record.id] = record
      page = meta.next_page
    }
    return records
  }
  return Object.fromEntries(await Promise.all(lists.map(async (list) => [list, await read(list)]))) as Copy
}

const any = (table: string, condition = 'true') =>
  `(select id from app.${table} where studio_id = access.current_studio_id() and ${condition} order by random() limit 1)`

/** What studios write, in one statement each. */
const writes = [
  `insert into app.items (studio_id, name) values (access.current_studio_id(), 'New')`,
  `update app.items set name = name || '.', purchase_price = purchase_price + 0.01 where id = ${any('items')}`,
  `update app.items set archived_at = now() where id = ${any('items', 'archived_at is null')}`,
  `update app.items set archived_at = null where id = ${any('items', 'archived_at is not null')}`,
  `update app.items set archived_at = now() where id in
   (select id from app.items where archived_at is null order by updated_at desc limit 3)`,
  `delete from app.maintenance_records where id = ${any('maintenance_records')}`,
  `insert into app.maintenance_records (studio_id, item_id, title)
   values (access.current_studio_id(), ${any('items')}, 'Check')`,
  `update app.policies set archived_at = case when archived_at is null then now() end where id = ${any('policies')}`,
  `update app.policies set effective_end = current_date - 1 where id = ${any('policies')}`,
  `update app.policies set effective_end = null, name = name || '.' where id = ${any('policies')}`,
  `update app.policies set effective_start = current_date + 1 where id = ${any('policies')}`,
  `update app.policies set effective_start = current_date where id = ${any('policies')}`,
  `delete from app.locations where id = ${any('locations', 'not is_default')}`,
  `insert into app.locations (studio_id, name) values (access.current_studio_id(), 'New')`,
]

/** Writers at once: some short, one that stays open for seconds, one that gives up. Resolves when all are done. */
async function write({ id }: Studio): Promise<void> {
  const connected = (work: (client: pg.Client) => Promise<void>) => asRole(world.database, 'studio_writer', work)
  const begin = async (client: pg.Client) => {
    await client.query('begin')
    await client.query(`select set_config('studio.id', $1, true)`, [id])
  }
  const short = async (client: pg.Client) => {
    for (let round = 0; round < 60; round += 1) {
      await begin(client)
      // A rare conflict of two writers is no matter: one of them gives up.
      const written = await client.query(writes[(round * 5) % writes.length] ?? '').catch(() => undefined)
      await client.query(written ? 'commit' : 'rollback')
      await sleep(40)
    }
  }
  const long = (end: string) => async (client: pg.Client) => {
    for (let round = 0; round < 2; round += 1) {
      await begin(client)
      await client.query(`insert into app.items (studio_id, id, name) values ($1, $2, 'Late')`, [id, randomUUID()])
      await sleep(1_800)
      await client.query(end)
    }
  }
  await Promise.all([connected(short), connected(short), connected(long('commit')), connected(long('rollback'))])
}

/** How each program is run, and whether this machine can: .ci/run installs what it takes. */
const commands = [
  ['sync.js', process.execPath],
  ['sync.py', 'python3'],
  ['sync.sh', 'sh'],
] as const
const has = (...tools: string[]) => tools.every((tool) => spawnSync(tool, ['--version']).status === 0)
const missing: Record<string, boolean> = { 'sync.py': !has('python3'), 'sync.sh': !has('curl', 'jq') }

describe.each(commands)('%s', (file, command) => {
  const test = it.skipIf(missing[file])
  const copying = (studio: Studio, service = world.service) => program(file, command, service, studio.token)

  test('holds what the studio holds, whatever was written meanwhile', async () => {
    const studio = await furnishedStudio()
    const { sync } = await copying(studio)
    const first = await sync()
    expect(Object.keys(first.items)).toHaveLength(231)
    expect(first).toEqual({ ...(await held(studio)), since: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) })
    await beside(sync, () => write(studio))
    const expected = await held(studio)
    for (const list of lists) expect(expected[list]).not.toEqual(first[list])
    await allVisible()
    expect(await sync()).toEqual({ ...expected, since: expect.any(String) })
  })

  test('reads everything anew when removals are not known any more', async () => {
    const studio = await furnishedStudio()
    const { sync } = await copying(studio)
    const before = await sync()
    const [gone = ''] = Object.keys(before.items)
    await world.write(({ query }) => query('update app.items set archived_at = now() where id = $1', [gone]), studio.id)
    await world.asOwner(async ({ query }) => {
      await query(`select set_config('studio.id', $1, true)`, [studio.id])
      await query('delete from app.removals where id = $1', [gone])
      await query('select app.forget_removals(access.history())')
    })
    const { since, ...after } = await sync()
    // So that no other test is answered with 410.
    await world.owner(`update app.sync_state set removals_since = now() - interval '1 hour'`)
    expect(Object.keys(after.items)).not.toContain(gone)
    expect(after).toEqual(await held(studio))
  })

  test('waits as Retry-After says', async () => {
    const studio = await furnishedStudio()
    let refused = 0
    const service = await world.start({
      limits: { ...generous, studio: { perSecond: 3, perMinute: 10_000 } },
      measure: ({ status }) => {
        if (status === 429) refused += 1
      },
    })
    const { sync } = await copying(studio, service)
    expect(await sync()).toMatchObject(await held(studio))
    expect(refused).toBeGreaterThan(0)
  })

  test('leaves its copy as it was when the connection is lost in the middle of the removals', async () => {
    const studio = await furnishedStudio()
    const proxy = await leakyProxy(world.service)
    const { sync, copy } = await program(file, command, world.service, studio.token, proxy.url)
    const before = await sync()
    await world.write(
      ({ query }) => query(`update app.items set archived_at = now() where name like 'Item 1%'`),
      studio.id,
    )
    const expected = await held(studio)
    await allVisible()
    await expect(sync()).rejects.toThrow()
    expect(await copy()).toEqual(before)
    proxy.repair()
    expect(await sync()).toEqual({ ...expected, since: expect.any(String) })
    await proxy.close()
  })

  test('leaves its copy as it was when a reading is cut short, and misses nothing then', async () => {
    const studio = await furnishedStudio()
    const plan = (status: string, end: string) =>
      world.owner(`select access.set_subscription($1, 'studio', $2, null, '2020-01-01', $3)`, [studio.id, status, end])
    let left = Number.POSITIVE_INFINITY
    const cut = (real: Limiter): Limiter => ({
      ...real,
      async admit(key) {
        left -= 1
        if (left === 0) await plan('canceled', '2020-02-01')
        return real.admit(key)
      },
    })
    const { sync, copy } = await copying(studio, await world.start({ limiter: cut }))
    const before = await sync()
    await world.write(async ({ query }) => {
      await query(`update app.items set name = 'Renamed' where name like 'Item 1%'`)
      await query(`update app.items set archived_at = now() where name like 'Item 2%'`)
    }, studio.id)
    const expected = await held(studio)
    await allVisible()
    left = 3
    await expect(sync()).rejects.toThrow('plan_required')
    expect(await copy()).toEqual(before)
    left = Number.POSITIVE_INFINITY
    await plan('active', '2999-12-31')
    expect(await sync()).toEqual({ ...expected, since: expect.any(String) })
  })
})

it('the program that pages reads every record once, in order, and ends with the code when it is refused', async () => {
  const studio = await furnishedStudio()
  const { data } = await world.read<List<{ id: string; name: string }>>('/v1/items?per_page=100', studio)
  const { output } = await program('walk.js', process.execPath, world.service, studio.token)
  const lines = (await output()).trimEnd().split('\n')
  expect(lines.slice(0, 100)).toEqual(data.map(({ id, name }) => `${id} ${name}`))
  expect(new Set(lines).size).toBe(231)
  expect(lines).toHaveLength(231)
  await world.owner(`select access.set_subscription($1, 'studio', 'canceled', null, '2020-01-01', '2020-02-01')`, [
    studio.id,
  ])
  await expect(output()).rejects.toThrow(/plan_required [0-9a-f-]{36}: The studio's plan/)
})
