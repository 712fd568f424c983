import { expect, test } from 'vitest'
import { useCells } from './cells.ts'

const cells = useCells()

test('a typing error in the name of a cell is answered with the one that was probably meant', async () => {
  for (const args of [
    ['--to', 'eu22'],
    ['--to', 'eu2', '--from', 'eu11'],
  ]) {
    const { status, stderr } = await cells.move(args)
    const [wrong = ''] = args.slice(-1)
    expect(status).toBe(1)
    expect(stderr).toContain(`there is no cell '${wrong}': did you mean '${wrong.slice(0, -1)}'?\n`)
    expect(stderr).toContain('CELLS_FILE has eu1, eu2, eu3.\n')
  }
})

test('so is one in the name of the studio, at every step of a move', async () => {
  const name = `Northlight ${cells.studio.slice(0, 8)}`
  await cells.query('eu1', 'update app.studios set name = $2 where id = $1', [cells.studio, name])
  const wrong = name.replace('Northlight', 'Nortlight')
  const meant = `did you mean '${name}'?`
  for (const args of [[], ['--from', 'eu1'], ['--abort'], ['--finish']]) {
    const { status, stderr } = await cells.run([wrong, '--to', 'eu2', ...args])
    expect([status, stderr]).toEqual([1, expect.stringContaining(meant)])
  }
  await cells.copyTo('eu2')
  await cells.know(['eu1', 'moved'], ['eu2', 'landed'])
  const lost = await cells.run([wrong, '--to', 'eu2', '--source-lost'])
  expect([lost.status, lost.stderr]).toEqual([1, expect.stringContaining(meant)])
})

test('a studio that has left a cell is not what is meant there', async () => {
  await cells.query('eu1', "update app.studios set name = 'Departed' where id = $1", [cells.studio])
  await cells.know(['eu1', 'moved'], ['eu2', 'active'])
  const { stderr } = await cells.run(['Departe', '--to', 'eu3', '--from', 'eu1'])
  expect(stderr).toContain("eu1 has no studio 'Departe', or it has moved on\n")
})
