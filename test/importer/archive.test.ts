import { describe, expect, test } from 'vitest'
import { expectDone, sentences, useImporter } from './support.ts'

const importer = useImporter()

const file = (keys: string) => `external_key,name\n${[...keys].map((key) => `${key},${key}\n`).join('')}`

describe.each(['items', 'policies'] as const)('--archive-missing for %s', (kind) => {
  const live = async (studio: Parameters<typeof importer.into>[0]) =>
    (await importer.rows<{ key: string }>(studio, kind, 'external_key as key, archived_at'))
      .filter((row) => Reflect.get(row, 'archived_at') === null)
      .map((row) => row.key)
      .join('')

  test('archives what the file no longer has, after its number was agreed to', async () => {
    const studio = await importer.studio()
    await importer.into(studio, kind, file('ABCD'))
    const asked: number[] = []
    const archiveMissing = async (rows: number) => asked.push(rows) > 0
    expectDone(await importer.into(studio, kind, file('AC'), { archiveMissing }), {
      rows: 2,
      unchanged: 2,
      archived: 2,
    })
    expect(asked).toEqual([2])
    expect(await live(studio)).toBe('AC')
    const version = await studio.dataVersion()
    expectDone(await importer.into(studio, kind, file('AC'), { archiveMissing }), { unchanged: 2, archived: 0 })
    expect(asked).toEqual([2])
    expect(await studio.dataVersion()).toBe(version)
  })

  test('writes nothing at all when it is declined', async () => {
    const studio = await importer.studio()
    await importer.into(studio, kind, file('AB'))
    const outcome = await importer.into(studio, kind, file('BX'), { archiveMissing: async () => false })
    expect(outcome).toMatchObject({ declined: true, added: 0, archived: 0 })
    expect(await live(studio)).toBe('AB')
  })

  test('is not asked about when something is wrong, and refuses a file without rows', async () => {
    const studio = await importer.studio()
    await importer.into(studio, kind, file('AB'))
    const never = async () => {
      throw new Error('asked')
    }
    expect(sentences(await importer.into(studio, kind, file('BB'), { archiveMissing: never }))).toHaveLength(1)
    const empty = importer.into(studio, kind, 'external_key,name\n', { archiveMissing: async () => true })
    await expect(empty).rejects.toThrow('the file has no rows')
    expect(await live(studio)).toBe('AB')
  })

  test('a dry run says how many and keeps them', async () => {
    const studio = await importer.studio()
    await importer.into(studio, kind, file('AB'))
    const never = async () => {
      throw new Error('asked')
    }
    const outcome = await importer.into(studio, kind, file('AX'), { dryRun: true, archiveMissing: never })
    expectDone(outcome, { added: 1, unchanged: 1, archived: 1 })
    expect(await live(studio)).toBe('AB')
  })
})
