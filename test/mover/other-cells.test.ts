import { describe, expect, test } from 'vitest'
import { abortMove, finishMove } from '../../src/apps/mover/abort.ts'
import { withBothCells } from '../../src/apps/mover/both-cells.ts'
import { abortWithoutTarget, activateWithoutSource } from '../../src/apps/mover/lost.ts'
import { moveStudio } from '../../src/apps/mover/move.ts'
import { options, useCells } from './cells.ts'

const cells = useCells()
const [eu1, eu2, eu3] = [() => cells.cell('eu1'), () => cells.cell('eu2'), () => cells.cell('eu3')]

describe('while a studio moves to one cell, a command that names another one changes nothing', () => {
  test.each(['copying', 'switching'] as const)('as target, where the source is %s', async (state) => {
    await cells.know(['eu1', state], ['eu2', state === 'copying' ? 'arriving' : 'landed'])
    for (const args of [[], ['--abort'], ['--abort', '--target-lost'], ['--finish']]) {
      expect(await cells.move(['--to', 'eu3', '--from', 'eu1', ...args])).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`studio move ${cells.studio} --to eu2 --from eu1`),
      })
    }
    expect(await cells.states('eu1')).toEqual([state])
    expect(await cells.states('eu3')).toEqual([])
  })

  test('as target, where the studio has left the source', async () => {
    await cells.know(['eu1', 'moved'], ['eu2', 'landed'])
    expect(await cells.move(['--to', 'eu3', '--from', 'eu1'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('eu1 has no studio'),
    })
    const kept = "eu1 keeps the copy of the studio's move to eu2; nothing was changed"
    await expect(moveStudio(eu1(), eu3(), cells.studio, options)).rejects.toThrow(kept)
    await expect(finishMove(eu1(), eu3(), cells.studio)).rejects.toThrow(kept)
    expect([await cells.states('eu1'), await cells.states('eu3')]).toEqual([['moved'], []])
  })

  test('as target, which cannot be reached', async () => {
    await cells.know(['eu1', 'copying'], ['eu2', 'arriving'])
    expect(await cells.move(['--to', 'eu3', '--abort'], { down: ['eu3'] })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('the studio is moving from eu1 to eu2'),
    })
    expect(await cells.states('eu1')).toEqual(['copying'])
  })

  test('as source', async () => {
    await cells.know(['eu1', 'copying'], ['eu2', 'arriving'])
    const wrong = 'the studio is moving from eu1 to eu2 (eu2: arriving); nothing was changed'
    await expect(moveStudio(eu3(), eu2(), cells.studio, options)).rejects.toThrow(wrong)
    await expect(abortMove(eu3(), eu2(), cells.studio)).rejects.toThrow(wrong)
    expect(await cells.states('eu2')).toEqual(['arriving'])
  })
})

test('a studio that is still arriving does not move on', async () => {
  await cells.copyTo('eu2')
  await cells.know(['eu1', 'switching'], ['eu2', 'landed'])
  await expect(moveStudio(eu2(), eu3(), cells.studio, options)).rejects.toThrow(
    'the studio is moving from eu1 to eu2 (eu2: landed)',
  )
  expect(await cells.states('eu3')).toEqual([])
})

test('a studio does not come back before the copy that it left there is deleted, and the command for it is named', async () => {
  await cells.copyTo('eu2')
  await cells.know(['eu1', 'moved'], ['eu2', 'active'])
  const failure = await moveStudio(eu2(), eu1(), cells.studio, options).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    message: expect.stringContaining("eu1 keeps the copy of the studio's move to eu2"),
    hint: expect.stringContaining(`studio move ${cells.studio} --to eu2 --from eu1 --finish`),
  })
  expect(await cells.states('eu2')).toEqual(['active'])
})

test.each([
  ['eu1', 'move', () => moveStudio(eu1(), eu3(), cells.studio, options)],
  ['eu1', 'abort without the target', () => abortWithoutTarget(eu1(), eu3(), cells.studio, true)],
  ['eu2', 'move', () => moveStudio(eu3(), eu2(), cells.studio, options)],
  ['eu2', 'take over', () => activateWithoutSource([], eu2(), cells.studio)],
] as const)(
  'while a command works on a studio in %s, none with another other cell does: %s',
  async (name, _what, work) => {
    await withBothCells(eu1(), eu2(), cells.studio, async () => {
      await expect(work()).rejects.toThrow(`another command is moving the studio (${name})`)
    })
  },
)
