import { expect, test } from 'vitest'
import { expectDone, useImporter } from './support.ts'

const importer = useImporter()

test('a dry run tells what would be done and leaves no trace', async () => {
  const studio = await importer.studio()
  await importer.into(studio, 'items', 'external_key,name\nA,One\nB,Two\n')
  const state = () =>
    importer.admin.rows(
      `select (select json_agg(i order by i.id) from app.items i)::text as items,
         (select json_agg(v order by v.studio_id, v.slot) from app.data_versions v)::text as versions,
         (select json_agg(c order by c.studio_id, c.category, c.coverage_state, c.slot) from app.item_counts c)::text as counts`,
    )
  const before = await state()
  const file = 'external_key,name\nA,Eins\nB,Two\nC,Three\n'
  expectDone(await importer.into(studio, 'items', file, { dryRun: true }), {
    rows: 3,
    added: 1,
    changed: 1,
    unchanged: 1,
  })
  expect(await state()).toEqual(before)
  expectDone(await importer.into(studio, 'items', file), { rows: 3, added: 1, changed: 1, unchanged: 1 })
})
