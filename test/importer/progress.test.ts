import { expect, test } from 'vitest'
import type { Progress } from '../../src/apps/importer/progress.ts'
import { expectDone, useImporter } from './support.ts'

const importer = useImporter()

/** A progress that writes down what it is told, stage by stage. */
function recorded() {
  const stages: { what: string; total: number | undefined; done: number[] }[] = []
  const progress: Progress = {
    stage: (what, total) => void stages.push({ what, total, done: [] }),
    at: (done) => void stages.at(-1)?.done.push(done),
    end: () => undefined,
  }
  return { progress, stages }
}

test('each stage says how far it has come, also writing and checking', async () => {
  const studio = await importer.studio()
  const rows = Array.from({ length: 4500 }, (_, row) => `K${row},Name`)
  const { progress, stages } = recorded()
  expectDone(await importer.into(studio, 'items', `external_key,name\n${rows.join('\n')}\n`, { progress }), {
    added: 4500,
  })
  const [reading, checking, writing] = stages
  expect(reading).toMatchObject({ what: 'Reading' })
  expect(reading?.done.at(-1)).toBe(reading?.total)
  expect(checking?.done).toEqual(Array.from({ length: checking?.total ?? 0 }, (_, index) => index + 1))
  expect(writing).toEqual({ what: 'Writing 4,500 items', total: 4500, done: [2000, 4000, 4500] })
})

test('new and changed rows are counted together, and unchanged ones not at all', async () => {
  const studio = await importer.studio()
  await importer.into(studio, 'items', 'external_key,name\nA,One\nB,Two\n')
  const { progress, stages } = recorded()
  await importer.into(studio, 'items', 'external_key,name\nA,Eins\nB,Two\nC,Three\n', { progress })
  expect(stages.at(-1)).toEqual({ what: 'Writing 2 items', total: 2, done: [1, 2] })
})

test('locations, which name each other, are written at once, whatever their order', async () => {
  const studio = await importer.studio()
  const rows = Array.from({ length: 2500 }, (_, row) => `L${row},Place ${row},${row < 1250 ? `L${row + 1250}` : ''}`)
  const { progress, stages } = recorded()
  const file = `external_key,name,parent\n${rows.join('\n')}\n`
  expectDone(await importer.into(studio, 'locations', file, { progress }), { added: 2500 })
  expect(stages.at(-1)?.done).toEqual([2500])
})
