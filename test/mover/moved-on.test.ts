import { beforeEach, describe, expect, test } from 'vitest'
import { finishMove } from '../../src/apps/mover/abort.ts'
import { moveStudio } from '../../src/apps/mover/move.ts'
import { options, useCells } from './cells.ts'

const cells = useCells()
const [eu1, eu2, eu3] = [() => cells.cell('eu1'), () => cells.cell('eu2'), () => cells.cell('eu3')]

test('a cell that a studio leaves again does not say any more that it has it', async () => {
  await cells.know(['eu1', 'finished'], ['eu2', 'active'])
  await cells.copyTo('eu2')
  await cells.know(['eu2', 'switching'], ['eu1', 'landed'])
  await moveStudio(eu2(), eu1(), cells.studio, options)
  expect(await cells.states('eu2')).toEqual(['left', 'moved'])
  expect(await cells.isWritable('eu1')).toBe(true)
  await finishMove(eu2(), eu1(), cells.studio)
  expect(await cells.states('eu2')).toEqual(['left', 'finished'])
})

describe('a source from a backup of an earlier move, of which the target has moved the studio on', () => {
  test.each(['copying', 'switching', 'moved'] as const)('is not taken for an older copy: %s', async (state) => {
    await cells.know(['eu1', state], ['eu2', 'left'])
    for (const args of [[], ['--abort'], ['--finish']]) {
      if (args[0] === '--finish' && state !== 'moved') continue
      expect(await cells.move(['--to', 'eu2', ...args])).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/eu2 has had the studio from this move and moved it on.*nothing was changed/),
      })
    }
    expect(await cells.states('eu1')).toEqual([state])
    expect(await cells.members('eu1')).toBe(1)
  })

  test('is the studio again once somebody says so', async () => {
    await cells.know(['eu1', 'switching'], ['eu2', 'left'])
    expect(await cells.move(['--to', 'eu2', '--abort', '--target-lost'])).toMatchObject({ status: 0 })
    expect(await cells.isWritable('eu1')).toBe(true)
  })

  test('is deleted by --finish when a third cell has the studio', async () => {
    await cells.know(['eu1', 'moved'], ['eu2', 'left'])
    await cells.copyTo('eu3')
    await cells.know(['eu2', 'finished'], ['eu3', 'active'])
    expect(await cells.move(['--to', 'eu2', '--finish'], { down: ['eu3'] })).toMatchObject({ status: 1 })
    expect(await finishMove(eu1(), eu2(), cells.studio, [eu3()])).toBe(true)
    expect(await cells.states('eu1')).toEqual(['finished'])
  })
})

describe('nothing is deleted in the source while the target does not have the rows', () => {
  test('not what lets somebody in', async () => {
    await cells.know(['eu1', 'switching'], ['eu2', 'active'])
    await expect(moveStudio(eu1(), eu2(), cells.studio, options)).rejects.toThrow('eu2 does not have the studio')
    expect(await cells.members('eu1')).toBe(1)
  })

  describe('of a studio that has moved', () => {
    beforeEach(() => cells.know(['eu1', 'moved'], ['eu2', 'active']))
    const copies = () => cells.query('eu1', 'select from app.studios where id = $1', [cells.studio])

    test('not the copy', async () => {
      await expect(finishMove(eu1(), eu2(), cells.studio)).rejects.toThrow('eu2 does not say that it has the studio')
      expect(await copies()).toHaveLength(1)
    })

    test('but the copy is, when the studio was removed there', async () => {
      await cells.query(
        'eu2',
        `insert into access.audit_log (studio_id, event, actor_user_id) values ($1, 'studio.removed', gen_random_uuid())`,
        [cells.studio],
      )
      expect(await finishMove(eu1(), eu2(), cells.studio)).toBe(true)
      expect(await copies()).toHaveLength(0)
    })
  })
})
