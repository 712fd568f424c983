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

const someItems = 'external_key,name\nI1,one\nI2,two\nI3,three\n'
const somePolicies = 'external_key,name,effective_start\nP1,first,2020-01-01\nP2,second,\n'

async function insured() {
  const studio = await importer.studio()
  await importer.into(studio, 'items', someItems)
  await importer.into(studio, 'policies', somePolicies)
  return studio
}

describe('policies', () => {
  test('an unrecognised type is kept, and a note says that the API shows null', async () => {
    const studio = await importer.studio()
    const outcome = await importer.into(studio, 'policies', 'external_key,name,policy_type\nA,a,umbrella\nB,b,cyber\n')
    expectDone(outcome, { added: 2 })
    expect(outcome.notes).toEqual([
      "1 of the file's policies have a policy_type that the API shows as null (first: line 3)",
    ])
  })

  test('do not end before they begin, also when the file has one of the dates only', async () => {
    const studio = await importer.studio()
    await importer.into(studio, 'policies', 'external_key,name,effective_start,effective_end\nA,a,2024-01-01,\n')
    expect(sentences(await importer.into(studio, 'policies', 'external_key,effective_end\nA,2023-12-31\n'))).toEqual([
      'line 2, effective_end "2023-12-31": is before effective_start, 2024-01-01; correct one of the two',
    ])
    expectDone(await importer.into(studio, 'policies', 'external_key,effective_end\nA,2024-01-01\n'), { changed: 1 })
    expect(sentences(await importer.into(studio, 'policies', 'external_key,effective_start\nA,2024-01-02\n'))).toEqual([
      'line 2, effective_end "2024-01-01": is before effective_start, 2024-01-02; correct one of the two',
    ])
  })
})

describe('assignments', () => {
  const header = 'external_key,item,policy,is_primary\n'
  const stored = `external_key, (select i.external_key from app.items i where i.id = item_id) as item,
    (select p.external_key from app.policies p where p.id = policy_id) as policy, is_primary`

  test('one of an item is primary, in the file and with what is there', async () => {
    const studio = await insured()
    expect(
      sentences(await importer.into(studio, 'assignments', `${header}A,I1,P1,yes\nB,I1,P2,yes\nC,I2,P1,yes\n`)),
    ).toEqual([
      'line 3, is_primary "yes": is a second primary assignment of the item I1, after the one on line 2; let one of them be primary',
    ])
    await importer.into(studio, 'assignments', `${header}A,I1,P1,yes\n`)
    expect(sentences(await importer.into(studio, 'assignments', `${header}B,I1,P2,yes\n`))).toEqual([
      'line 2, is_primary "yes": is a second primary assignment of the item I1, after A, which already exists; let one of them be primary',
    ])
  })

  test('the primary one changes places within a file', async () => {
    const studio = await insured()
    await importer.into(studio, 'assignments', `${header}A,I1,P1,yes\nB,I1,P2,no\nC,I2,P1,yes\nD,I3,P1,yes\n`)
    expectDone(
      await importer.into(studio, 'assignments', `${header}B,I1,P2,yes\nA,I1,P1,no\nC,I3,P1,yes\nD,I2,P1,yes\n`),
      {
        changed: 4,
      },
    )
    expect(await importer.rows(studio, 'policy_assignments', stored)).toEqual([
      { external_key: 'A', item: 'I1', policy: 'P1', is_primary: false },
      { external_key: 'B', item: 'I1', policy: 'P2', is_primary: true },
      { external_key: 'C', item: 'I3', policy: 'P1', is_primary: true },
      { external_key: 'D', item: 'I2', policy: 'P1', is_primary: true },
    ])
    expectDone(await importer.into(studio, 'assignments', `${header}X,I1,P1,yes\nB,I1,P2,no\n`), {
      added: 1,
      changed: 1,
    })
  })

  test('the file need not have the column: a primary one that moves to an item with another is refused', async () => {
    const studio = await insured()
    await importer.into(studio, 'assignments', `${header}A,I1,P1,yes\nB,I2,P1,yes\n`)
    expect(sentences(await importer.into(studio, 'assignments', 'external_key,item\nA,I2\n'))).toEqual([
      'line 2, is_primary "yes": is a second primary assignment of the item I2, after B, which already exists; let one of them be primary',
    ])
    expectDone(await importer.into(studio, 'assignments', 'external_key,item\nA,I2\nB,I1\n'), { changed: 2 })
  })

  test('need an item and a policy of the studio, and a window that does not end before it begins', async () => {
    const studio = await insured()
    const file =
      'external_key,item,policy,effective_start,effective_end\nA,,P1,,\nB,I9,P9,,\nC,I1,P1,2024-02-01,2024-01-31\n'
    expect(sentences(await importer.into(studio, 'assignments', file))).toEqual([
      'line 2, item: is empty; write a value such as MIC-001',
      'line 3, item "I9": matches nothing in this studio; write the external key or id of an item that exists',
      'line 3, policy "P9": matches nothing in this studio; write the external key or id of a policy that exists',
      'line 4, effective_end "2024-01-31": is before effective_start, 2024-02-01; correct one of the two',
    ])
  })
})
