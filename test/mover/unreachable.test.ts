import { expect, test } from 'vitest'
import { useCells } from './cells.ts'

const cells = useCells()
const down = { down: ['eu3'] as const }
const failure = (text: string) => ({ status: 1, stderr: expect.stringContaining(text) })

test('the status shows the moves of the cells that can be reached, and says which cannot', async () => {
  await cells.know(['eu1', 'copying'], ['eu2', 'arriving'])
  const { status, stdout, stderr } = await cells.run(['--status'], down)
  expect(status).toBe(1)
  expect(stdout).toMatch(new RegExp(`eu1 +${cells.studio} +leaving +eu2 +copying`))
  expect(stderr).toContain('eu3 cannot be reached')
  const all = JSON.parse((await cells.run(['--status', '--json'], down)).stdout)
  expect(all).toMatchObject([
    { cell: 'eu1', unreachable: null },
    { cell: 'eu2', unreachable: null },
    { cell: 'eu3', moves: [], unreachable: expect.stringContaining('ECONNREFUSED') },
  ])
})

test('a move that has begun is aborted while an unrelated cell is down', async () => {
  await cells.know(['eu1', 'copying'], ['eu2', 'arriving'])
  expect(await cells.move(['--to', 'eu2', '--abort'], down)).toMatchObject({ status: 0 })
  expect(await cells.states('eu1')).toEqual(['aborted'])
})

test('before a move begins, a cell that is down may have the studio: --from says that it has not', async () => {
  expect(await cells.move(['--to', 'eu2'], down)).toMatchObject(
    failure('Name the cell that the studio moves from: --from'),
  )
  expect(await cells.move(['--to', 'eu2', '--from', 'eu1'], down)).toMatchObject(failure('databases of one server'))
})

test('of two cells with a copy the one counts that moves it to this target, else --from says which', async () => {
  await cells.copyTo('eu3')
  const { stderr } = await cells.move(['--to', 'eu2'])
  expect(stderr).toContain('several cells have the studio: eu1, eu3\nName the one that it moves from: --from')
  await cells.know(['eu1', 'copying'], ['eu2', 'arriving'])
  expect(await cells.move(['--to', 'eu2', '--abort'])).toMatchObject({ status: 0 })
})
