import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Limiter } from '../../src/auth/limiter.ts'
import { DatabaseUnavailable } from '../../src/database/errors.ts'
import { beside } from '../support/beside.ts'
import { generous } from '../support/service.ts'
import type { List } from '../support/world.ts'
import { type Clock, installClock } from './clock.ts'
import { leakyProxy, writeAtOnce } from './disturbances.ts'
import { lists, usePrograms } from './programs.ts'

const { world, studioWithRecords, program, allVisible, held } = usePrograms()
type Studio = Awaited<ReturnType<typeof studioWithRecords>>

const write = (studio: Studio) => writeAtOnce(world.database, studio)

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
      await query('delete from app.removals where id = $1', [gone])
      await query('select app.forget_removals(access.history())')
    }, studio.id)
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

  it('keeps its copy when the connection is lost half-way, and misses nothing later', async () => {
    const studio = await studioWithRecords()
    const proxy = await leakyProxy(world.service)
    const { sync, copy } = await program(file, command, world.service, studio.token, proxy.url)
    const before = await sync()
    await world.write(async ({ query }) => {
      await query(`update app.items set name = 'Renamed' where name like 'Item 1%'`)
      await query(`update app.items set archived_at = now() where name like 'Item 2%'`)
    }, studio.id)
    const expected = await held(studio)
    await allVisible()
    for (const list of ['removals', 'items']) {
      proxy.lose(list)
      await expect(sync()).rejects.toThrow()
      expect(await copy()).toEqual(before)
    }
    proxy.repair()
    expect(await sync()).toEqual({ ...expected, since: expect.any(String) })
    await world.subscribe(studio.id, 'studio', 'canceled', null, '2020-01-01', '2020-02-01')
    await expect(sync()).rejects.toThrow('plan_required')
    await proxy.close()
  })
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

/** The paging program; `lines`: what it prints, each record once. */
async function walking(studio: Studio, service = world.service) {
  const { output } = await program('walk.js', process.execPath, service, studio.token)
  const lines = async () => {
    const printed = (await output()).trimEnd().split('\n')
    expect([printed.length, new Set(printed).size]).toEqual([231, 231])
    return printed
  }
  return { output, lines }
}

it('the paging program reads every record once, in order, and reports a refusal', async () => {
  const studio = await studioWithRecords()
  const { data } = await world.read<List<{ id: string; name: string }>>('/v1/items?per_page=100', studio)
  const { output, lines } = await walking(studio)
  expect((await lines()).slice(0, 100)).toEqual(data.map(({ id, name }) => `${id} ${name}`))
  await world.subscribe(studio.id, 'studio', 'canceled', null, '2020-01-01', '2020-02-01')
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
  await (await walking(studio, service)).lines()
  expect(refusals.filter((status) => status === 503)).toHaveLength(1)
  expect(refusals.filter((status) => status === 429).length).toBeGreaterThan(0)
})
