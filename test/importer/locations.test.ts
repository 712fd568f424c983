import { describe, expect, test } from 'vitest'
import { expectDone, sentences, useImporter } from './support.ts'

const importer = useImporter()

const tree =
  'external_key, name, is_default, (select p.external_key from app.locations p where p.id = locations.parent_id) as parent'

describe('parents', () => {
  test('are rows of the file in any order, by key or name, or locations that are there', async () => {
    const studio = await importer.studio()
    await importer.into(studio, 'locations', 'external_key,name\nOLD,Old house\n')
    const file = 'external_key,name,parent\nC,Rack,Control room\nB,Control room,A\nA,House,Old house\n'
    expectDone(await importer.into(studio, 'locations', file), { added: 3 })
    expect((await importer.rows(studio, 'locations', tree)).slice(0, 4)).toEqual([
      { external_key: 'A', name: 'House', is_default: false, parent: 'OLD' },
      { external_key: 'B', name: 'Control room', is_default: false, parent: 'A' },
      { external_key: 'C', name: 'Rack', is_default: false, parent: 'B' },
      { external_key: 'OLD', name: 'Old house', is_default: false, parent: null },
    ])
    expectDone(await importer.into(studio, 'locations', file), { unchanged: 3 })
  })

  test('lead to no circle, of one row, of the file or with what is there', async () => {
    const studio = await importer.studio()
    await importer.into(studio, 'locations', 'external_key,name,parent\nX,x,Y\nY,y,\n')
    const outcome = await importer.into(
      studio,
      'locations',
      'external_key,name,parent\nA,a,B\nB,b,C\nC,c,A\nD,d,D\nY,y,X\nE,e,A\n',
    )
    expect(sentences(outcome)).toEqual(
      ['2, parent "B"', '3, parent "C"', '4, parent "A"', '5, parent "D"', '6, parent "X"'].map(
        (place) => `line ${place}: makes the location a part of itself; let it be part of another, or of none`,
      ),
    )
  })
})

describe('the default location', () => {
  const file = (...rows: string[]) => `external_key,name,is_default\n${rows.join('\n')}\n`
  const defaults = async (studio: Parameters<typeof importer.into>[0]) =>
    (await importer.rows<{ key: string; is_default: boolean }>(studio, 'locations', 'external_key as key, is_default'))
      .filter((row) => row.is_default)
      .map((row) => row.key)

  test('that came with the studio becomes the first that is imported', async () => {
    const studio = await importer.studio()
    expectDone(await importer.into(studio, 'locations', file('H,House,yes', 'R,Room,')), { added: 1, changed: 1 })
    expect(await importer.rows(studio, 'locations', 'name, is_default')).toEqual([
      { name: 'House', is_default: true },
      { name: 'Room', is_default: false },
    ])
    expectDone(await importer.into(studio, 'locations', file('H,House,yes', 'R,Room,')), { unchanged: 2 })
  })

  test('moves to another row, whether the file has the previous one or not', async () => {
    const studio = await importer.studio()
    await importer.into(studio, 'locations', file('A,a,yes', 'B,b,no'))
    expectDone(await importer.into(studio, 'locations', file('A,a,no', 'B,b,yes')), { changed: 2 })
    expect(await defaults(studio)).toEqual(['B'])
    expectDone(await importer.into(studio, 'locations', file('C,c,yes')), { added: 1 })
    expect(await defaults(studio)).toEqual(['C'])
    expectDone(await importer.into(studio, 'locations', 'external_key,name\nA,x\nB,b\nC,c\n'), { changed: 1 })
    expect(await defaults(studio)).toEqual(['C'])
  })

  test('is one, and cannot be given up', async () => {
    const studio = await importer.studio()
    await importer.into(studio, 'locations', file('A,a,yes'))
    expect(sentences(await importer.into(studio, 'locations', file('A,a,', 'B,b,')))).toEqual([
      'line 2, is_default "no": takes the default away from the location that has it; a studio needs one default location: write yes in another row',
    ])
    expect(sentences(await importer.into(studio, 'locations', file('A,a,yes', 'B,b,1', 'C,c,true')))).toEqual([
      'line 3, is_default "yes": makes a second default location; the first is on line 2; leave it to one row',
      'line 4, is_default "yes": makes a second default location; the first is on line 2; leave it to one row',
    ])
  })
})

describe('on a Pro plan', () => {
  test('the one location can be described, and more are refused line by line', async () => {
    const studio = await importer.studio({ plan: 'pro' })
    expectDone(await importer.into(studio, 'locations', 'external_key,name,city,is_default\nH,House,Leeds,yes\n'), {
      changed: 1,
    })
    const outcome = await importer.into(studio, 'locations', 'external_key,name,city\nH,House,York\nB,b,\nC,c,\n')
    const says =
      'is a new location, and more than one needs the Studio plan; on other plans import one row with is_default yes: the location that the studio has'
    expect(sentences(outcome)).toEqual([`line 3, external_key "B": ${says}`, `line 4, external_key "C": ${says}`])
    expect(await importer.rows(studio, 'locations', 'external_key, city')).toEqual([
      { external_key: 'H', city: 'Leeds' },
    ])
  })
})
