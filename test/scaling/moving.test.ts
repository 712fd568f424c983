import { beforeAll, describe, expect, test, vi } from 'vitest'
import { abortWithoutTarget } from '../../src/apps/mover/lost.ts'
import type { Moved } from '../../src/apps/mover/move.ts'
import type { MoveStep } from '../../src/apps/mover/options.ts'
import { withClient } from '../../src/database/client.ts'
import { type Client, createClient } from '../support/client.ts'
import { printTable } from '../support/table.ts'
import type { List } from '../support/world.ts'
import { load } from './moving-load.ts'
import { writeAs } from './own-database.ts'
import { endProcesses } from './processes.ts'
import { startServer, stopServer } from './servers.ts'
import { abort, leftBehind, makeTwoCells, move, moveAndDie, moveAndFinish, type TwoCells } from './two-cells.ts'

/**
 * A studio moves to and fro between a cluster of PostgreSQL 15 and one of the embedded version, while it is read and written; each
 * answer is compared with what was written.
 */
endProcesses()
let cells: TwoCells
let client: Client
beforeAll(async () => {
  cells = await makeTwoCells({ two: { embedded: true } })
  client = createClient(cells.instance.port)
  await addItems(1, 20_000)
}, 300_000)

/** Adds items with these numbers to the studio in the first cell. */
const addItems = (first: number, last: number) =>
  writeAs(
    cells.one.url,
    cells.studio,
    `insert into app.items (studio_id, name, category, purchase_price)
     select $1, 'Item ' || n, 'Drums & Percussion', n from generate_series($2::int, $3::int) n`,
    [cells.studio.id, first, last],
  )

const paths = [
  '/v1/items?per_page=100',
  '/v1/locations',
  '/v1/policies',
  '/v1/account',
  '/v1/maintenance',
  '/v1/removals',
]

/** Where the studio is. The tests move it to and fro. */
let place: 'one' | 'two' = 'one'
const here = () => cells[place]
const there = () => cells[place === 'one' ? 'two' : 'one']
const settle = () => {
  place = place === 'one' ? 'two' : 'one'
}

const answers = () => Promise.all(paths.map((path) => client.get(path, { token: cells.studio.token })))

const total = async () => {
  const reply = await client.get<List<unknown>>('/v1/items?per_page=1', { token: cells.studio.token })
  return reply.status === 200 ? reply.json.meta.total : reply.status
}

/** The cells that accept a write. */
async function writable(): Promise<string[]> {
  const asked = [cells.one, cells.two].map(async (cell) => {
    const rows = await writeAs(
      cell.url,
      cells.studio,
      `update app.items set model = model where studio_id = $1 and name = 'Item 1' returning id`,
      [cells.studio.id],
    ).catch(() => [])
    return Array.isArray(rows) && rows.length === 1 ? [cell.name] : []
  })
  return (await Promise.all(asked)).flat()
}

test('answers are the same to the byte after a move, and what clients have cached is still valid', async () => {
  const before = await answers()
  await moveAndFinish(here(), there(), cells.studio.id)
  settle()
  const after = await answers()
  expect(after.map(({ text }) => text)).toEqual(before.map(({ text }) => text))
  for (const [index, path] of paths.entries()) {
    const etag = before[index]?.headers.etag
    if (etag === undefined) continue
    const again = await client.get(path, { token: cells.studio.token, headers: { 'If-None-Match': etag } })
    expect([path, again.status]).toEqual([path, 304])
  }
  expect(await leftBehind(there(), cells.studio.id)).toEqual([])
  expect(await writable()).toEqual([here().name])
}, 300_000)

/** A line of the table in docs/scaling.md. */
const lineOf = ({ rows, seconds, stopped_seconds: stopped }: Moved) => ({
  rows: (rows ?? 0).toLocaleString('en'),
  seconds: `${seconds.toFixed(1)} s`,
  'stop of writes': `${(stopped ?? 0).toFixed(1)} s`,
})

test('a studio moves while it is read and written: no write is lost, and no answer is wrong', async () => {
  const clients = load([cells.one, cells.two], cells.studio, client)
  const moved = [await moveAndFinish(here(), there(), cells.studio.id)]
  settle()
  moved.push(await moveAndFinish(here(), there(), cells.studio.id))
  settle()
  const { reads, writes, wrong, missed, longestStop } = await clients.stop()
  printTable('Moving a studio that is read and written', moved.map(lineOf))
  console.log(`${reads} reads, ${writes} writes; none was accepted for ${(longestStop / 1000).toFixed(2)} s at most`)
  expect(wrong).toEqual([])
  expect(missed).toEqual([])
  expect(Math.min(reads, writes)).toBeGreaterThan(20)
  expect(await writable()).toEqual([here().name])
}, 300_000)

describe('killed', () => {
  const early: MoveStep[] = ['recorded', 'subscribed', 'copied', 'stopped', 'caught up', 'compared']
  const steps: MoveStep[] = [...early, 'switching', 'landed', 'left', 'active']

  test.each(steps)(
    'when it is %s, the studio is read; the same command completes the move',
    async (step) => {
      const before = await total()
      await moveAndDie(here(), there(), cells.studio.id, step)
      expect(await total()).toBe(before)
      // The server notices that the command is gone, and its lock with it.
      const accepting = () => writable()
      if (early.includes(step)) await vi.waitFor(async () => expect(await accepting()).toEqual([here().name]), 30_000)
      else if (step !== 'active') expect(await accepting()).toEqual([])
      await moveAndFinish(here(), there(), cells.studio.id)
      settle()
      expect(await total()).toBe(before)
      expect(await writable()).toEqual([here().name])
      expect(await leftBehind(there(), cells.studio.id)).toEqual([])
    },
    300_000,
  )

  test.each([...early, 'switching' as const])(
    'when it is %s, --abort goes back to before',
    async (step) => {
      const before = await answers()
      await moveAndDie(here(), there(), cells.studio.id, step)
      expect(await abort(here(), there(), cells.studio.id)).toBe(true)
      expect(await writable()).toEqual([here().name])
      expect((await answers()).map(({ text }) => text)).toEqual(before.map(({ text }) => text))
      expect(await leftBehind(there(), cells.studio.id)).toEqual([])
      expect((await leftBehind(here(), cells.studio.id)).toSorted()).toEqual(['item', 'token'])
      expect(await abort(here(), there(), cells.studio.id)).toBe(false)
    },
    300_000,
  )

  test.each(['landed', 'left', 'active'] as const)(
    'when it is %s, --abort deletes nothing',
    async (step) => {
      const before = await total()
      await moveAndDie(here(), there(), cells.studio.id, step)
      await expect(abort(here(), there(), cells.studio.id)).rejects.toThrow('has switched')
      expect(await total()).toBe(before)
      await moveAndFinish(here(), there(), cells.studio.id)
      settle()
      expect(await total()).toBe(before)
    },
    300_000,
  )
})

test('a move that was killed in the switch lets the studio be written while it is copied again, and after it has failed', async () => {
  const write = (text: string) =>
    withClient(there().url, async (admin) => {
      await admin.query('set session_replication_role = replica')
      await admin.query(text, [cells.studio.id])
    })
  await moveAndDie(here(), there(), cells.studio.id, 'switching')
  expect(await writable()).toEqual([])
  await write(`update app.items set model = 'by hand' where studio_id = $1 and name = 'Item 2'`)
  await expect(move(here(), there(), cells.studio.id)).rejects.toThrow('the copy differs')
  expect(await writable()).toEqual([here().name])
  await write(`update app.items set model = '' where studio_id = $1 and name = 'Item 2'`)
  await moveAndFinish(here(), there(), cells.studio.id)
  settle()
  expect(await writable()).toEqual([here().name])
}, 300_000)

test.each(['here', 'there'] as const)(
  'the server %s crashes while the studio is copied: the move goes on',
  async (which) => {
    const before = await total()
    await moveAndDie(here(), there(), cells.studio.id, 'subscribed')
    const { server } = which === 'here' ? here() : there()
    await stopServer(server, 'immediate')
    await startServer(server)
    await vi.waitFor(async () => expect(await total()).toBe(before), 30_000)
    await moveAndFinish(here(), there(), cells.studio.id)
    settle()
    expect(await total()).toBe(before)
  },
  300_000,
)

test('a target that is gone does not keep the source: the rest is removed when it is back', async () => {
  await moveAndDie(here(), there(), cells.studio.id, 'copied')
  const { server } = there()
  await stopServer(server, 'immediate')
  await abortWithoutTarget(here(), there(), cells.studio.id)
  expect((await leftBehind(here(), cells.studio.id)).toSorted()).toEqual(['item', 'token'])
  await startServer(server)
  expect(await abort(here(), there(), cells.studio.id)).toBe(true)
  expect(await leftBehind(there(), cells.studio.id)).toEqual([])
  expect(await writable()).toEqual([here().name])
}, 300_000)

test('a source that comes back from a backup of before the switch never has the newer copy deleted', async () => {
  const before = await total()
  await move(here(), there(), cells.studio.id)
  await withClient(here().url, (admin) =>
    admin.query(`update access.studio_moves set state = 'copying' where state = 'moved'`),
  )
  await expect(abort(here(), there(), cells.studio.id)).rejects.toThrow('has an older copy from a backup')
  await expect(move(here(), there(), cells.studio.id)).rejects.toThrow('has an older copy from a backup')
  expect(await total()).toBe(before)
  await withClient(here().url, (admin) =>
    admin.query(`update access.studio_moves set state = 'moved' where state = 'copying'`),
  )
  await moveAndFinish(here(), there(), cells.studio.id)
  settle()
}, 300_000)

/** With TEST_MOVE_ITEMS=1000000 the studio gets as many items at the end and moves once more: 20 minutes, and gigabytes of disk. */
const items = Number(process.env.TEST_MOVE_ITEMS ?? 0)
if (items > 0) {
  test(`a studio of ${items} items moves while it is read and written`, async () => {
    if (place === 'two') await moveAndFinish(here(), there(), cells.studio.id)
    place = 'one'
    const step = 10_000
    for (let first = 20_001; first <= items; first += step) await addItems(first, Math.min(first + step - 1, items))
    const clients = load([cells.one, cells.two], cells.studio, client)
    const moved = await moveAndFinish(here(), there(), cells.studio.id, { stopAtMost: 600 })
    settle()
    const { reads, writes, wrong, missed, longestStop } = await clients.stop()
    printTable(`Moving a studio of ${items} items`, [lineOf(moved)])
    console.log(`${reads} reads, ${writes} writes; none was accepted for ${(longestStop / 1000).toFixed(1)} s at most`)
    expect(wrong).toEqual([])
    expect(missed).toEqual([])
    expect(await writable()).toEqual([here().name])
  }, 3_600_000)
}
