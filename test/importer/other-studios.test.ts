import { beforeAll, describe, expect, test } from 'vitest'
import type { Studio } from '../sql/support.ts'
import { sentences, useImporter } from './support.ts'

const importer = useImporter()
let studio: Studio
let other: Studio
const foreign = { item: '', location: '', policy: '' }

beforeAll(async () => {
  studio = await importer.studio()
  other = await importer.studio()
  await importer.into(studio, 'locations', 'external_key,name\nROOM,Live room\nT1,Twin\nT2,Twin\n')
  await importer.into(studio, 'items', 'external_key,name\nMINE,Mine\n')
  foreign.location = await other.add('locations', { external_key: 'THEIRS', name: 'Their room' })
  foreign.item = await other.add('items', { external_key: 'THEIR-ITEM', name: 'Their item' })
  foreign.policy = await other.add('policies', { external_key: 'THEIR-POLICY', name: 'Their policy' })
})

describe('what belongs to another studio', () => {
  /** What is said about a reference, without the reference itself. */
  async function said(
    kind: 'items' | 'assignments' | 'maintenance' | 'market-values',
    file: (given: string) => string,
    given: string,
  ) {
    const outcome = await importer.into(studio, kind, file(given))
    return sentences(outcome).map((sentence) => sentence.replaceAll(given, '<given>'))
  }

  test.each([
    {
      kind: 'items',
      file: (given: string) => `external_key,name,location\nA,a,${given}\n`,
      theirs: () => [foreign.location, 'THEIRS', 'Their room'],
    },
    {
      kind: 'assignments',
      file: (given: string) => `external_key,item,policy\nA,${given},${given}\n`,
      theirs: () => [foreign.item, 'THEIR-ITEM', foreign.policy, 'THEIR-POLICY'],
    },
    {
      kind: 'maintenance',
      file: (given: string) => `external_key,item,title\nA,${given},x\n`,
      theirs: () => [foreign.item, 'THEIR-ITEM'],
    },
    {
      kind: 'market-values',
      file: (given: string) => `item,value,as_of\n${given},1,2024-01-01\n`,
      theirs: () => [foreign.item, 'THEIR-ITEM'],
    },
  ] as const)('is refused in $kind exactly like what is unknown', async ({ kind, file, theirs }) => {
    const unknown = await said(kind, file, '00000000-0000-4000-8000-000000000000')
    expect(unknown.length).toBeGreaterThan(0)
    for (const given of theirs()) expect(await said(kind, file, given)).toEqual(unknown)
  })

  test('may have the same external keys: each file touches its own studio', async () => {
    const before = await other.get('items', foreign.item)
    const outcome = await importer.into(studio, 'items', 'external_key,name\nTHEIR-ITEM,Ours\n')
    expect(outcome).toMatchObject({ added: 1, changed: 0 })
    expect(await other.get('items', foreign.item)).toEqual(before)
  })
})
