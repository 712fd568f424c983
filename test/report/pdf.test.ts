import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import sharp from 'sharp'
import { getDocumentProxy } from 'unpdf'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { breakLines, ellipsis } from '../../src/report/pdf/canvas.ts'
import { createThumbnails } from '../../src/report/thumbnails.ts'
import { coverageLabels, dayInWords, disclaimers, groupDigits } from '../../src/report/words.ts'
import { putPhoto, useWorld } from '../support/world.ts'
import { allOf, cellsOf, linesOf, made, pagesOf, partsOf, structureOf, type Tagged } from './support.ts'

const world = useWorld()
let pages: Tagged[][]
let pdf: Buffer
let lines: Record<string, string>[]

beforeAll(async () => {
  for (let n = 0; n < 30; n += 1) await world.add('items', { name: `Cable no. ${n}`, purchase_price: '12.50' })
  pdf = (await made(world, { format: 'pdf' })).bytes
  pages = await structureOf(pdf)
  lines = (await linesOf(world)).lines
}, 60_000)

/** The rows that have content on the page, with their cells. */
const rowsOf = (page: readonly Tagged[]) =>
  allOf('TR', page)
    .map(({ within }) => within)
    .filter((cells) => cells.some(({ text }) => text !== ''))

it('a screen reader finds the title, the language, and that the PDF has tags', async () => {
  const document = await getDocumentProxy(new Uint8Array(pdf))
  expect(await document.getMarkInfo()).toMatchObject({ Marked: true })
  const { info } = await document.getMetadata()
  expect(info).toMatchObject({ Title: expect.stringContaining('Attic Sound'), Language: 'en-GB' })
  expect(await document.getViewerPreferences()).toMatchObject({ DisplayDocTitle: true })
})

it('a screen reader finds a row for every item, with its name as header and a header for each column', () => {
  const heads = allOf('THead', pages.flat()).filter(({ text }) => text.startsWith('Photo'))
  const columns = heads.flatMap(({ within }) => within.flatMap((row) => row.within))
  expect(columns.map(({ role, text }) => `${role} ${text}`)).toEqual([
    ...['TH Photo', 'TH Item maker, model', 'TH Serial number barcode', 'TH Location'],
    ...['TH Purchase price acquired, repl. cost', 'TH Value source', 'TH Reported as insured', 'TH Gap declaration'],
    ...['TH Under policies less reported', 'TH Policies declared under each'],
  ])
  const rows = pages.flatMap(rowsOf).filter((cells) => cells.length === columns.length && cells[0]?.role === 'TD')
  expect(rows.map((cells) => cells[1]?.role)).toEqual(lines.map(() => 'TH'))
  for (const [at, line] of lines.entries()) {
    const [, item, serial, location, , value, , , , policies] = (rows[at] ?? []).map(({ text }) => text)
    const ofLine = (...names: string[]) => names.flatMap((name) => line[name]?.match(/\S+/g) ?? []).join(' ')
    expect(item).toBe(ofLine('Name', 'Manufacturer', 'Model'))
    expect([serial, location]).toEqual([ofLine('Serial number', 'Barcode'), ofLine('Location')])
    expect(value).toBe(`${groupDigits(line.Value ?? '') || '–'} ${line.Source}`.trim())
    expect(policies).toBe(line.Policies?.replace(/\d(?=\d{3}\.)/g, '$&,'))
  }
})

it('a screen reader reads headings and disclaimers once, and nothing that pages repeat', () => {
  const all = pages.flat()
  expect(allOf('H1', all).map(({ text }) => text)).toEqual(['Schedule of equipment'])
  const headings = allOf('H2', all).map(({ text }) => text)
  const categories = [...new Set(lines.map(({ Category }) => Category))]
  expect(headings.slice(0, categories.length).map((text) => text.replace(/ \d+ items?$/, ''))).toEqual(categories)
  expect(headings.slice(categories.length)).toEqual([
    ...['Totals by category', 'Totals by source of the value', 'Totals by policy', 'Totals by location'],
    ...['Under-Declared and Not Declared', 'Depreciation by financial year (IAS 16.73)'],
  ])
  const text = all.map((each) => each.text).join(' ')
  for (const disclaimer of disclaimers) expect(text.split(disclaimer)).toHaveLength(2)
  expect(text).not.toMatch(/Page \d+ of|, continued|Made \d/)
  expect(text).toContain(dayInWords(lines[0]?.Day ?? ''))
  expect(text).toContain(coverageLabels.uninsured)
})

it('a screen reader finds in each row of a table of totals one cell for each header', () => {
  const tables = allOf('Table', pages.flat()).filter(({ within }) => within[0]?.role === 'THead')
  expect(tables.length).toBeGreaterThan(6)
  for (const { within } of tables) {
    const [head, ...bodies] = within
    const columns = allOf('TH', [head as Tagged]).length
    for (const row of allOf('TR', bodies).filter(({ text }) => text !== '')) {
      const isBand = allOf('H2', [row]).length === 1
      expect(row.within, row.text).toHaveLength(isBand ? 1 : columns)
      expect(row.within.filter(({ role }) => role === 'TH')).toHaveLength(1)
    }
  }
})

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#306080' } })

const photo = (format: 'png' | 'jpeg' | 'webp') => plain(640, 360).toFormat(format).toBuffer()

let studioId: string
beforeAll(async () => {
  studioId = (await world.newStudio()).id
  const item = async (name: string, key: string, bytes?: Buffer) => {
    const item_id = await world.add('items', { name }, studioId)
    await world.add('item_photos', { item_id, storage_key: key }, studioId)
    if (bytes) await putPhoto(world.photosDir, key, bytes)
  }
  const jpeg = await photo('jpeg')
  await item('A JPEG', 'r/a.jpg', jpeg)
  await item('A PNG', 'r/b.png', await photo('png'))
  await item('A WebP', 'r/c.webp', await photo('webp'))
  await item('Cut short', 'r/d.jpg', jpeg.subarray(0, 400))
  await item('No image', 'r/e.png', Buffer.from('not an image'))
  await item('Empty', 'r/f.png', Buffer.alloc(0))
  await item('Gone', 'r/g.jpg')
  await item('Not served', '../../etc/passwd')
  await item('Too large', 'r/h.jpg', await plain(5_200, 5_200).jpeg({ progressive: true }).toBuffer())
  await world.add('items', { name: 'Without' }, studioId)
})

it.each(['pdf', 'xlsx'] as const)(
  'a %s shows photos, and says of each that is missing or broken that it is',
  async (format) => {
    const { outcome, bytes } = await made(world, { format, studioId })
    expect(outcome.photos).toEqual({ shown: 3, missing: 2, unreadable: 3, too_large: 1, omitted: 0 })
    expect(outcome.totals.all.items).toBe(10)
    if (format === 'pdf') {
      const text = (await pagesOf(bytes)).join('\n')
      expect(text.match(/photo\nmissing/g)).toHaveLength(2)
      expect(text.match(/photo\nunreadable/g)).toHaveLength(3)
      expect(text.match(/photo\ntoo\nlarge/g)).toHaveLength(1)
      expect(bytes.toString('latin1').match(/\/Subtype \/Image/g)).toHaveLength(3)
      const described = allOf('Figure', (await structureOf(bytes)).flat()).map(({ alt }) => alt)
      expect(described).toEqual(['Photo of A JPEG', 'Photo of A PNG', 'Photo of A WebP'])
      return
    }
    const parts = partsOf(bytes)
    expect([...parts.keys()].filter((name) => name.startsWith('xl/media/'))).toHaveLength(3)
    expect(parts.get('xl/drawings/drawing1.xml')?.match(/<xdr:row>/g)?.length).toBeGreaterThanOrEqual(3)
    const words = Object.fromEntries(cellsOf(parts, 1).map((cells) => [cells.get('B')?.text, cells.get('A')?.text]))
    const broken = { Gone: 'photo missing', 'Cut short': 'photo unreadable', 'Too large': 'photo too large' }
    expect(words).toMatchObject({ ...broken, Without: 'no photo', 'A PNG': '' })
  },
)

it('photos in a bucket are fetched by their signed URL; what the storage refuses is missing', async () => {
  const bytes = await photo('jpeg')
  const server = createServer((request, response) => {
    if (request.url === '/there?signed') response.end(bytes)
    else response.writeHead(404).end('<Error/>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  onTestFinished(() => void server.close())
  const thumbnails = createThumbnails({ sign: async (key) => `http://127.0.0.1:${port}/${key}?signed` })
  expect(await thumbnails('there')).toMatchObject({ width: 120, height: 68 })
  expect(await thumbnails('gone')).toBe('missing')
  const unsigned = createThumbnails({ sign: () => Promise.reject(new Error('no key')) })
  expect(await unsigned('there')).toBe('missing')
})

/** In this font, every character is one wide. */
const widthOf = (text: string) => [...text].length

it('for any text, no line is wider than its box, and a cut is marked', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-', '/', 'ß', '🎛'), maxLength: 80 }),
      fc.integer({ min: 2, max: 20 }),
      fc.integer({ min: 1, max: 4 }),
      (raw, width, most) => {
        const text = raw.replace(/ +/g, ' ').trim()
        const { lines, cut } = breakLines(text, width, most, widthOf)
        expect(lines.length).toBeLessThanOrEqual(most)
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
        const shown = lines.join('').replaceAll(' ', '')
        if (cut) expect(lines.at(-1)?.endsWith(ellipsis)).toBe(true)
        else expect(shown).toBe(text.replaceAll(' ', ''))
        expect(text.replaceAll(' ', '').startsWith(cut ? shown.slice(0, -1) : shown)).toBe(true)
      },
    ),
  )
})
