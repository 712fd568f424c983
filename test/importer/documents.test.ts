import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exampleOf, kinds } from '../../src/importer/kinds/index.ts'
import { columnsReference, toolsReference } from './reference.ts'
import { expectDone, useImporter } from './support.ts'

const importer = useImporter()
const docs = join(import.meta.dirname, '../../docs')

// After an intended change: npm run generate
test('docs/importing.md describes every column of every kind as the code has it', async () => {
  const page = await readFile(join(docs, 'importing.md'), 'utf8')
  const written = page.slice(0, page.search(/^## Columns$/m) < 0 ? undefined : page.search(/^## Columns$/m))
  await expect(`${written}${columnsReference()}`).toMatchFileSnapshot(join(docs, 'importing.md'))
})

test('docs/other-tools.md says which columns of each tool become which of ours', async () => {
  const page = await readFile(join(docs, 'other-tools.md'), 'utf8')
  const written = page.slice(
    0,
    page.search(/^## Tools that the importer knows$/m) < 0 ? undefined : page.search(/^## Tools that the importer/m),
  )
  await expect(`${written}${toolsReference()}`).toMatchFileSnapshot(join(docs, 'other-tools.md'))
})

test('the examples can be imported one after the other, and again without a change', async () => {
  const studio = await importer.studio()
  for (const { name } of kinds) {
    const outcome = await importer.path(studio, name, join(docs, 'examples', `${name}.csv`))
    expectDone(outcome, { unchanged: 0 })
    expect(outcome.notes).toEqual([])
    expect(outcome.rows).toBeGreaterThan(1)
  }
  for (const { name } of kinds) {
    const outcome = await importer.path(studio, name, join(docs, 'examples', `${name}.csv`))
    expectDone(outcome, { added: 0, changed: 0, unchanged: outcome.rows })
  }
})

test('the example rows of the reference can be imported', async () => {
  const studio = await importer.studio()
  await importer.into(studio, 'locations', 'external_key,name\nHOUSE,House\n')
  for (const kind of kinds) {
    expectDone(await importer.into(studio, kind.name, exampleOf(kind)), { added: 1 })
  }
})
