import { randomUUID } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ImportFailed, type startImport } from '../../src/importer/import-process.ts'
import { workbook, zipped } from '../support/workbook.ts'
import { csv, formOf, importHere, items, useImportConsole } from './import-here.ts'
import { type Page, signedIn } from './support.ts'

/** How imports end in this test; undefined: as they do by themselves. */
let instead: 'never' | 'Timeout' | 'Stopping' | undefined
let begun = 0
const run: typeof startImport = (job) => {
  begun += 1
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => undefined)
  const fail = (reason: string) => reject(new ImportFailed('ended', reason, undefined))
  if (instead !== undefined && instead !== 'never') fail(instead)
  return { outcome: instead === undefined ? importHere(job) : promise, end: async () => fail('Stopping') }
}
const { world, path, preview, rows, named } = useImportConsole(run)
const by = signedIn(world, ['owner', 'admin'])
beforeEach(() => {
  instead = undefined
})

const buttonOf = ({ text }: Page) => (text.includes('Check again') ? 'Check again' : 'Use these columns')

it('a damaged workbook is said to be one, and the next file of the studio is read', async () => {
  const bytes = workbook({ Gear: [['external_key', 'name']] })
  const shown = await preview(by.owner, new Blob([new Uint8Array(bytes.subarray(0, -30))]), { name: 'cut.xlsx' })
  expect([shown.status, shown.text]).toEqual([422, expect.stringContaining('is a damaged workbook')])
  expect((await preview(by.owner, new Blob([new Uint8Array(bytes)]))).status).toBe(200)
})

/** Presses “Check again” after some choices were changed, and follows the redirect. */
async function checkAgain(shown: Page & { at: string }, changed: Record<string, string> = {}) {
  const sent = await by.owner.upload(`${shown.at}/reading`, { ...formOf(shown, buttonOf(shown)), ...changed })
  expect(sent.status, sent.text).toBe(303)
  const at = sent.location ?? ''
  return { ...(await by.owner.get(at)), at }
}

/** How the page says that it reads each column. */
function columnsOf(shown: Page): Record<string, string> {
  const fields = formOf(shown, buttonOf(shown))
  const numbers = Object.keys(fields).flatMap((name) => /^column-(\d+)$/.exec(name)?.[1] ?? [])
  return Object.fromEntries(numbers.map((at) => [fields[`column-${at}`], fields[`read-as-${at}`] ?? '']))
}

describe('check again', () => {
  it('confirms what columns with names of people’s own are; nothing is imported before', async () => {
    const own = csv('Thing,Item,Serial No.,Bought', 'a,Tape echo,77,2020-01-31', 'b,Spring reverb,78,')
    const shown = await preview(by.owner, own)
    expect(shown.text).toContain('Cannot be imported yet')
    expect(shown.text).toContain('choose what identifies each row under “How the file is read”')
    const keyed = await checkAgain(shown, { key: 'serial_number' })
    expect(keyed.text).toContain('What would change')
    expect(keyed.text).toContain('a later import with the same key updates the rows that it knows')

    const unsure = await preview(by.owner, csv('external_key,Item,Bought', 'u-1,Tape delay,2020-01-31'))
    expect(unsure.text).toContain('Are these columns right?')
    expect(unsure.text).toMatch(
      /Bought <span class="soft">\(such as <span class="typed">2020-01-31<\/span>\)<\/span> is probably<\/label>/,
    )
    expect(unsure.text).not.toContain('Import 1 row')
    const refused = 'Confirm what the columns are before you import the file.'
    expect(await by.owner.post(unsure.at)).toMatchObject({ status: 422, text: expect.stringContaining(refused) })
    expect(await named('Tape delay')).toBe(0)
    const sure = await checkAgain(unsure)
    expect((await by.owner.post(sure.at)).status).toBe(303)
    expect(await named('Tape delay')).toBe(1)
  })

  const guessed = csv('Asset Tag,Names,Category,Serial,Colour,', 'g-1,Zither,Zithers,77,red,x')

  it('keeps the columns that were recognised', async () => {
    const shown = await preview(by.owner, guessed)
    const before = columnsOf(shown)
    expect(before).toMatchObject({ 'Asset Tag': 'external_key', Names: 'name', Serial: 'serial_number', Colour: '' })
    const again = await checkAgain(shown, { 'ours-0': 'Guitars & Basses' })
    expect(columnsOf(again)).toEqual(before)
    expect(again.text).toContain('1 row: 1 to add')
    expect((await by.owner.post(again.at)).status).toBe(303)
    expect(await named('Zither')).toBe(1)
  })

  it("reads a tool's export as before, except for the changes", async () => {
    const file = csv('HB.asset_id,HB.name,HB.manufacturer,HB.model_number,HB.location', 'hb-2,Revox A77,Revox,A77,')
    const shown = await preview(by.owner, file)
    const again = await checkAgain(shown, { 'read-as-3': '' })
    expect(columnsOf(again)).toEqual({ ...columnsOf(shown), 'HB.model_number': '' })
    expect(again.text).toContain('exported from Homebox')
  })

  it('reads another sheet of a workbook, with the columns that it has', async () => {
    const summary = [['This document was exported from Numbers.']]
    const gear = ['Asset Tag,Item', 'sh-1,Sheet mic'].map((line) => line.split(','))
    const bytes = workbook({ 'Export Summary': summary, "Gear's": gear })
    const shown = await preview(by.owner, new Blob([new Uint8Array(bytes)]), { name: 'numbers.xlsx' })
    expect(shown.status).toBe(422)
    expect(shown.text).toContain('choose the sheet under “How the file is read”')
    const other = await checkAgain(shown, { sheet: "Gear's" })
    expect(columnsOf(other)).toEqual({ 'Asset Tag': 'external_key', Item: 'name' })
    const sure = await checkAgain(other, { sheet: "Gear's" })
    expect((await by.owner.post(sure.at)).status).toBe(303)
    expect(await named('Sheet mic')).toBe(1)
  })

  it('works for a file with very many columns, some of which have no name', async () => {
    const names = Array.from({ length: 600 }, (_, at) => (at % 10 === 0 ? '' : `Extra ${at}`))
    const shown = await preview(by.owner, csv(['Asset Tag', 'Title', ...names].join(), `w-1,Wide${',c'.repeat(600)}`))
    expect(shown.text).toContain('Only the first 500 of 542 columns are shown.')
    const again = await checkAgain(shown)
    expect(columnsOf(again)).toEqual(columnsOf(shown))
    expect(again.text).toContain('1 row: 1 to add')
  })
})

it('photos come in as a ZIP archive, each to the item whose key its name is, after they were shown', async () => {
  await by.owner.post((await preview(by.owner, items({ 'PH-1': 'Photographed' }))).at)
  const zip = (name: string, size: number) => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(size)])
    return new Blob([new Uint8Array(zipped({ [name]: png }, Infinity))])
  }
  const wrong = await preview(by.owner, zip('gone.png', 9), { kind: 'photos', name: 'photos.zip' })
  expect(wrong.text).toContain('matches no item in this studio')
  // Only photos may be as large as this.
  const shown = await preview(by.owner, zip('shoot/PH-1.png', 11 * 2 ** 20), { kind: 'photos', name: 'photos.zip' })
  expect(shown.text).toMatch(/1 photo: 1 to add.*PH-1\.png.*Photographed/s)
  const done = await by.owner.post(shown.at)
  expect(done.status, done.text).toBe(303)
  const photos = '(select count(*)::integer from app.item_photos p where p.item_id = items.id) as n'
  expect(await rows(photos, 'Photographed')).toEqual([{ n: 1 }])
  expect(await readdir(join(world.photosDir, '.uploads'))).toEqual([])
  expect((await by.owner.get(world.page('audit-log'))).text).toMatch(/photos\.zip<.*?photos: 1 added/s)
})

it('a studio has one archive on the disk, its newest, and the pages of the former ones say that they were replaced', async () => {
  const zip = () => new Blob([new Uint8Array(zipped({ 'gone.png': Buffer.from('no picture') }, Infinity))])
  const uploads = () => readdir(join(world.photosDir, '.uploads'))
  const former = await preview(by.owner, zip(), { kind: 'photos', name: 'first.zip' })
  const [first] = await uploads()
  const other = world.cast.b.id
  const theirs = `${other}_${randomUUID()}.zip`
  await writeFile(join(world.photosDir, '.uploads', theirs), 'of another studio')
  const kept = await preview(by.admin, zip(), { kind: 'photos', name: 'second.zip' })
  const left = await uploads()
  expect(left).toHaveLength(2)
  expect(left).toContain(theirs)
  expect(left).not.toContain(first)
  expect((await by.admin.get(kept.at)).text).toContain('second.zip')
  const gone = await by.owner.get(former.at)
  expect([gone.status, gone.text]).toEqual([404, expect.stringContaining('replaced by a later upload')])
})

/** Uploads a file and returns the address of its preview, without opening it. */
async function upload(names: Record<string, string>): Promise<string> {
  const sent = await by.owner.upload(path(), { kind: 'items', from: 'guess' }, { name: 'gear.csv', file: items(names) })
  return sent.location ?? ''
}
const ask = (at: string, init: RequestInit) =>
  fetch(`${world.service.url}${at}`, {
    ...init,
    headers: { Cookie: [...by.owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
  })

describe('a preview', () => {
  it('that its reader leaves ends, and the next one starts at once', async () => {
    const at = await upload({ left: 'Left' })
    instead = 'never'
    for (let count = 0; count < 3; count += 1) {
      const before = begun
      const leave = new AbortController()
      const left = ask(at, { signal: leave.signal }).catch((error: Error) => error.name)
      await vi.waitUntil(() => begun > before, { timeout: 20_000 })
      leave.abort()
      expect(await left).toBe('AbortError')
    }
    instead = undefined
    const shown = { status: 200, text: expect.stringContaining('1 row: 1 to add') }
    expect(await by.owner.get(at)).toMatchObject(shown)
  })

  it.each([
    ['Timeout', 413, 'The file took more than 5 minutes, so nothing was imported. Split it'],
    ['Stopping', 503, 'The service is restarting, so nothing was imported.'],
  ] as const)('that ends by %s says what to do', async (reason, status, why) => {
    const at = await upload({ [reason]: reason })
    instead = reason
    expect(await by.owner.get(at)).toMatchObject({ status, text: expect.stringContaining(why) })
  })
})
