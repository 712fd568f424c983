import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Limiter } from '../../src/auth/limiter.ts'
import { DatabaseUnavailable } from '../../src/database/errors.ts'
import { createPool } from '../../src/database/pool.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { type Heartbeat, startHeartbeat } from '../../src/process/jobs.ts'
import { beside } from '../support/beside.ts'
import { generous, type TestService } from '../support/service.ts'
import { type List, useWorld } from '../support/world.ts'
import { leakyProxy } from './leaky-proxy.ts'
import { writeAtOnce } from './program-writers.ts'
import * as programs from './programs.ts'
import { lists, type Studio } from './programs.ts'

/** The programs of /docs, as they are there, against the service and a database that is written to. */
vi.setConfig({ testTimeout: 60_000 })
const world = useWorld()
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

const furnishedStudio = () => programs.furnishedStudio(world)
const allVisible = () => programs.allVisible(world)
const held = (studio: Studio) => programs.held(world, studio)
const write = (studio: Studio) => writeAtOnce(world.database, studio)
const program = (file: string, command: string, service: TestService, token: string, address = service.url) =>
  programs.program(root, file, command, service, token, address)

/** How each program is run. It takes python3, curl and jq, which .ci/run installs. */
const commands = [
  ['sync.js', process.execPath],
  ['sync.py', 'python3'],
  ['sync.sh', 'sh'],
] as const

describe.each(commands)('%s', (file, command) => {
  const copying = (studio: Studio, service = world.service) => program(file, command, service, studio.token)

  it('holds what the studio holds, whatever was written meanwhile', async () => {
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

  it('reads everything anew when removals are not known any more', async () => {
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

  it('waits as Retry-After says', async () => {
    const studio = await furnishedStudio()
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

  it('leaves its copy as it was when the connection is lost in the middle of the removals', async () => {
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

  it('leaves its copy as it was when a reading is cut short, and misses nothing then', async () => {
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

it('the program that pages waits as Retry-After says, of a 429 and of a 503', async () => {
  const studio = await furnishedStudio()
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
