import { expect, test } from 'vitest'
import type { Readiness } from '../../src/http/readiness.ts'
import { readinessOfCells } from '../../src/process/cells-readiness.ts'

const ready: Readiness = { ready: true, schemaVersion: '000001.sql' }
const away: Readiness = { ready: false, reason: 'the database cannot be used', isDown: true }
const old: Readiness = { ready: false, reason: 'the database is not up to date' }

function cellsOf(states: Record<'eu1' | 'eu2', Readiness | Promise<Readiness>>) {
  const cell = (name: 'eu1' | 'eu2') => ({ name, check: async () => states[name] })
  return { states, check: readinessOfCells([cell('eu1'), cell('eu2')]) }
}

test('a service is ready while one of its cells is, and says which are not', async () => {
  const { check, states } = cellsOf({ eu1: ready, eu2: away })
  expect(await check()).toEqual({ ...ready, cells: { eu1: 'ready', eu2: 'the database cannot be used' } })
  states.eu1 = away
  expect(await check()).toMatchObject({ ready: false, reason: 'no cell is ready' })
})

test('a new release gets no requests before every cell that can be reached is migrated', async () => {
  const { check, states } = cellsOf({ eu1: ready, eu2: old })
  expect(await check()).toMatchObject({
    ready: false,
    reason: 'not all cells are ready for this release',
    cells: { eu1: 'ready', eu2: 'the database is not up to date' },
  })
  states.eu2 = ready
  expect(await check()).toMatchObject({ ready: true })
})

test('later, a cell that was restored from an old backup takes no other out of the balancer', async () => {
  const { check, states } = cellsOf({ eu1: ready, eu2: ready })
  await check()
  states.eu2 = old
  expect(await check()).toMatchObject({ ready: true, cells: { eu2: 'the database is not up to date' } })
})

test('a cell that does not answer keeps nobody waiting', async () => {
  const { check } = cellsOf({ eu1: new Promise(() => {}), eu2: ready })
  expect(await check()).toMatchObject({ ready: true, cells: { eu1: 'the database does not answer', eu2: 'ready' } })
})

test('one database answers as it does', async () => {
  expect(await readinessOfCells([{ name: undefined, check: async () => old }])()).toBe(old)
})
