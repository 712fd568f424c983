import { beforeAll, expect, test, vi } from 'vitest'
import { abortWithoutTarget, activateWithoutSource } from '../../src/apps/mover/lost.ts'
import { type Client, createClient } from '../support/client.ts'
import { writeAs } from './own-database.ts'
import { endProcesses } from './processes.ts'
import { startServer, stopServer } from './servers.ts'
import { abort, leftBehind, makeTwoCells, moveAndDie, moveAndFinish, type TwoCells } from './two-cells.ts'

/** A cell is lost in the middle of a move, and the other one goes on without it. */
endProcesses()
let cells: TwoCells
let client: Client
beforeAll(async () => {
  cells = await makeTwoCells()
  client = createClient(cells.instance.port)
}, 300_000)

const write = (name: 'one' | 'two') =>
  writeAs(cells[name].url, cells.studio, 'insert into app.locations (studio_id, name) values ($1, gen_random_uuid())', [
    cells.studio.id,
  ])

const status = async () => (await client.get('/v1/items', { token: cells.studio.token })).status

test('a source takes its studio back from a target that is lost in the switch, and what it had is removed if it comes back', async () => {
  const { one, two, studio } = cells
  await moveAndDie(one, two, studio.id, 'switching')
  await stopServer(two.server, 'immediate')
  await expect(write('one')).rejects.toMatchObject({ code: 'SI503' })
  await expect(abortWithoutTarget(one, two, studio.id)).rejects.toThrow('two cannot be reached, and may have switched')
  await abortWithoutTarget(one, two, studio.id, true)
  await write('one')
  expect((await leftBehind(one, studio.id)).filter((what) => !['item', 'token'].includes(what))).toEqual([])
  await startServer(two.server)
  expect(await abort(one, two, studio.id)).toBe(true)
  expect(await leftBehind(two, studio.id)).toEqual([])
  await vi.waitFor(async () => expect(await status()).toBe(200), 30_000)
}, 300_000)

test.each(['landed', 'left'] as const)(
  'a target that has %s goes on without its source; if that comes back, the same command completes the move',
  async (step) => {
    const { one, two, studio } = cells
    await moveAndDie(one, two, studio.id, step)
    await stopServer(one.server, 'immediate')
    await expect(write('two')).rejects.toMatchObject({ code: 'SI503' })
    expect(await activateWithoutSource([one, two], two, studio.id)).toBe('one')
    await write('two')
    await vi.waitFor(async () => expect(await status()).toBe(200), 30_000)
    await startServer(one.server)
    await moveAndFinish(one, two, studio.id)
    expect(await leftBehind(one, studio.id)).toEqual([])
    await vi.waitFor(async () => expect(await status()).toBe(200), 30_000)
    await moveAndFinish(two, one, studio.id)
  },
  300_000,
)
