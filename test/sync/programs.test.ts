import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Limiter } from '../../src/auth/limiter.ts'
import { DatabaseUnavailable } from '../../src/database/errors.ts'
import { example } from '../reference/document.ts'
import { beside } from '../support/beside.ts'
import { startHeartbeats } from '../support/heartbeat.ts'
import { generous, type TestService } from '../support/service.ts'
import { type List, useWorld } from '../support/world.ts'
import { type Clock, installClock } from './clock.ts'
import { leakyProxy } from './leaky-proxy.ts'
import { writeAtOnce } from './program-writers.ts'

/** Runs the programs of /docs unchanged, against the service and a database that changes. */
vi.setConfig({ testTimeout: 60_000 })
const world = useWorld()
let stopBeats: () => Promise<void>
let root: string

beforeAll(async () => {
  stopBeats = await startHeartbeats(world.database)
  await allVisible()
  root = await mkdtemp(join(tmpdir(), 'studio-inventory-programs-'))
})
afterAll(async () => {
  await stopBeats?.()
  if (root) await rm(root, { recursive: true })
})

const write = (studio: Studio) => writeAtOnce(world.database, studio)

const run = promisify(execFile)

const lists = ['items', 'valuations', 'locations', 'maintenance', 'policies'] as const
type Copy = Record<(typeof lists)[number], Record<string, { id: string }>> & { since: string }
type Studio = Awaited<ReturnType<typeof studioWithRecords>>

/** A studio whose items fill some pages, and a policy, a room and a maintenance record of each kind that can go. */
async function studioWithRecords() {
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

/** A program of the page in its own folder, for the API at an address. Each `sync` runs it and returns its copy. */
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

/** Waits until the watermark has passed all writes. */
async function allVisible(now = Date.now()): Promise<void> {
  const watermark = async () => {
    const [row] = await world.owner<{ at: string }>('select extract(epoch from access.watermark()) * 1000 as at')
    return Number(row?.at)
  }
  await vi.waitUntil(async () => (await watermark()) > now, { timeout: 60_000, interval: 100 })
}

/** What the studio's lists hold, read by page numbers while nobody writes. */
async function held({ token }: Studio): Promise<Omit<Copy, 'since'>> {
  const read = async (list: string) => {
    type Held = { id: string; item_id: string }
    const records: Record<string, Held> = {}
    for (let page: number | null = 1; page !== null; ) {
      const { data, meta }: List<Held> = await world.read(`/v1/${list}?per_page=100&page=${page}`, { token })
      for (const record of data) records[record.id ?? record.item_id] = record
      page = meta.next_page
    }
    return records
  }
  return Object.fromEntries(await Promise.all(lists.map(async (list) => [list, await read(list)]))) as Copy
}

/** How each program is run. It takes python3, curl and jq, which .ci/run installs. */
const commands = [
  ['sync.js', process.execPath],
  ['sync.py', 'python3'],
  ['sync.sh', 'sh'],
] as const

describe.each(commands)('%s', (file, command) => {
  const copying = (studio: Studio, service = world.service) => program(file, command, service, studio.token)

  it('copies the studio exactly, even while it changes', async () => {
    const studio = await studioWithRecords()
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

  it('reads everything again after a 410', async () => {
    const studio = await studioWithRecords()
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
    // Other tests must not get 410.
    await world.owner(`update app.sync_state set removals_since = now() - interval '1 hour'`)
    expect(Object.keys(after.items)).not.toContain(gone)
    expect(after).toEqual(await held(studio))
  })

  it('waits as Retry-After says', async () => {
    const studio = await studioWithRecords()
    let refused = 0
    const service = await world.start({
      limits: { ...generous, studio: { perSecond: 1, perMinute: 10_000 } },
      measure: ({ status }) => {
        if (status === 429) refused += 1
      },
    })
    const { sync } = await copying(studio, service)
    expect(await sync()).toMatchObject(await held(studio))
    expect(refused).toBeGreaterThan(0)
  })

  it('keeps its copy when the connection is lost during the removals', async () => {
    const studio = await studioWithRecords()
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

  it('keeps its copy when a read is cut short, and misses nothing later', async () => {
    const studio = await studioWithRecords()
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

it('the paging program reads every record once, in order, and reports a refusal', async () => {
  const studio = await studioWithRecords()
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

it('the paging program waits for Retry-After after a 429 and a 503', async () => {
  const studio = await studioWithRecords()
  let restarting = true
  const restartsOnce = (real: Limiter): Limiter => ({
    ...real,
    async admit(key) {
      if (!restarting) return real.admit(key)
      restarting = false
      throw new DatabaseUnavailable('restarting')
    },
  })
  const refusals: number[] = []
  const service = await world.start({
    limits: { ...generous, studio: { perSecond: 1, perMinute: 10_000 } },
    limiter: restartsOnce,
    measure: ({ status }) => {
      if (status !== 200) refusals.push(status)
    },
  })
  const { output } = await program('walk.js', process.execPath, service, studio.token)
  const lines = (await output()).trimEnd().split('\n')
  expect(new Set(lines).size).toBe(231)
  expect(lines).toHaveLength(231)
  expect(refusals.filter((status) => status === 503)).toHaveLength(1)
  expect(refusals.filter((status) => status === 429).length).toBeGreaterThan(0)
})

let clock: Clock | undefined
it.each(commands)('%s keeps items and values exact over the end of a month', async (file, command) => {
  const studio = await studioWithRecords()
  const falling = `update app.items set depreciation_method = 'straight_line', useful_life_months = 60,
    acquisition_date = access.current_studio_today(), purchase_price = 600 where name like 'Item 1%'`
  await world.write(({ query }) => query(falling), studio.id)
  const { sync } = await program(file, command, world.service, studio.token)
  const before = await sync()
  clock ??= await installClock(world.database)
  await clock.move(32 * 86_400_000)
  const refresh = async () => {
    const some = 'select valued from valuation.refresh_studio($1, at_most => 40)'
    while ((await world.owner<{ valued: number }>(some, [studio.id]))[0]?.valued) await sync()
  }
  await refresh()
  await allVisible(clock.now())
  const after = await sync()
  expect(after.items).toEqual(before.items)
  expect(after).toEqual({ ...(await held(studio)), since: expect.any(String) })
  const valued = Object.entries(after.valuations).filter(
    ([id, value]) => !isDeepStrictEqual(value, before.valuations[id]),
  )
  expect(valued).toHaveLength(111)
  await beside(sync, () => write(studio))
  await allVisible(clock.now())
  expect(await sync()).toEqual({ ...(await held(studio)), since: expect.any(String) })
})
