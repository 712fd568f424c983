import { beforeEach, describe, expect, test } from 'vitest'
import { type Studio, useSql } from '../support.ts'
import { expectStrictlyIncreasing, momentsBetween, movedBy } from './moments.ts'

const sql = useSql()
let studio: Studio
let item: string
let other: string

beforeEach(async () => {
  studio = await sql.studio()
  item = await studio.add('items')
  other = await studio.add('items')
})

const moved = (work: () => Promise<unknown>) => movedBy(studio, [item, other], work)

describe('updated_at of an item moves', () => {
  const itemAlone = { item: true, other: false, version: true }

  test('when a photo is added, put in another order, stored elsewhere and removed', async () => {
    let photo = ''
    expect(await moved(async () => (photo = await studio.add('item_photos', { item_id: item })))).toEqual(itemAlone)
    for (const columns of [{ position: 3 }, { storage_key: 'photos/two.jpg' }]) {
      expect(await moved(() => studio.change('item_photos', photo, columns))).toEqual(itemAlone)
    }
    expect(await moved(() => studio.remove('item_photos', photo))).toEqual(itemAlone)
  })

  test('for every item of a statement that changes the photos of several', async () => {
    await studio.add('item_photos', { item_id: item })
    await studio.add('item_photos', { item_id: other })
    const both = { item: true, other: true, version: true }
    const write = (text: string) => () => studio.write((session) => session.rows(text))
    expect(await moved(write('update app.item_photos set position = position + 1'))).toEqual(both)
    expect(await moved(write('delete from app.item_photos'))).toEqual(both)
  })

  test('with every single change, however fast one follows the other', async () => {
    const photo = await studio.add('item_photos', { item_id: item })
    const moments = await studio.write((session) =>
      momentsBetween(
        session,
        Array.from({ length: 200 }, (_, n) => `update app.item_photos set position = ${n + 1} where id = '${photo}'`),
        `select updated_at from app.items where id = '${item}'`,
      ),
    )
    expectStrictlyIncreasing(moments)
  })
})

test('the storage keys are answered in the order of their positions, ties by id', async () => {
  const ids = [
    '00000000-0000-4000-8000-00000000000c',
    '00000000-0000-4000-8000-00000000000a',
    '00000000-0000-4000-8000-00000000000b',
  ]
  await studio.add('item_photos', { item_id: item, id: ids[0], position: 1, storage_key: 'c' })
  await studio.add('item_photos', { item_id: item, id: ids[1], position: 1, storage_key: 'a' })
  await studio.add('item_photos', { item_id: item, id: ids[2], position: 0, storage_key: 'b' })
  expect((await studio.ask('get_item', item)).photo_keys).toEqual(['b', 'a', 'c'])
})
