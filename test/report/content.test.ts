import { beforeAll, describe, expect, it } from 'vitest'
import { useWorld } from '../support/world.ts'
import { cellsOf, linesOf, made, pagesOf, partsOf } from './support.ts'

const world = useWorld()

/** People name their things in these scripts, which the PDF's font has. */
const words = ['Röhren-Vorverstärker „Größe“', 'Ζυγός Ήχου', 'Микрофон Октава', 'żółty Łódź', 'Señal ñandú Ðør']
const formulas = ['=1+1', '+49 30 1234', '-12 dB pad', '@home', '\tTab', '=HYPERLINK("http://x","y")']
const long = `A very long name ${'that goes on and on '.repeat(12)}to its end`

beforeAll(async () => {
  for (const name of [...words, ...formulas, long, 'テープ 🎛'])
    await world.add('items', { name, purchase_price: '10.10' })
  await world.add('items', { name: 'Church organ', purchase_price: '10.10', replacement_cost: '123456789012.34' })
  const { items } = world.cast.a
  await world.change('items', items.console, { serial_number: '0012345678901234567', model: 'A, "B"; C' })
})

describe('the CSV', () => {
  let csv: Awaited<ReturnType<typeof linesOf>>
  beforeAll(async () => {
    csv = await linesOf(world)
  })

  it('is RFC 4180 in UTF-8 with the mark that Excel needs, and a line for every item of the API', async () => {
    const { bytes, lines } = csv
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
    expect(bytes.toString().replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    const { data } = await world.read<{ data: { name: string }[] }>('/v1/items?per_page=100')
    const plain = (name: string | undefined) => name?.replace(/^'/, '').trim()
    expect(lines.map(({ Name }) => plain(Name)).toSorted()).toEqual(data.map(({ name }) => name.trim()).toSorted())
    expect(lines.find(({ Name }) => Name === 'Console')).toMatchObject({
      ...{ 'Serial number': '0012345678901234567', Model: 'A, "B"; C', Value: '15000.00', Gap: '-1000.00' },
      ...{ 'Reported as insured': '16000.00', Declaration: 'Fully Declared', 'Declared under policies': '16000.00' },
      ...{ 'Policies less reported': '0.00', Policies: 'Studio cover (P-1): 16000.00', 'Book value': '20000.00' },
      ...{ 'Replacement cost': '', Currency: 'EUR' },
    })
  })

  it('holds what looks like a formula as text that no spreadsheet evaluates, and every script as it is', async () => {
    const { lines } = csv
    const names = lines.map(({ Name }) => Name)
    expect(names).toEqual(expect.arrayContaining([...formulas.map((name) => `'${name}`), ...words]))
    const cells = lines.flatMap((line) => Object.values(line))
    expect(cells.filter((cell) => /^[=+@\t\r]|^-(?!\d+\.\d\d$)/.test(cell))).toEqual([])
  })
})

describe('the XLSX', () => {
  it('has text as text, amounts as numbers of the currency and days as days', async () => {
    const parts = partsOf((await made(world, { format: 'xlsx' })).bytes)
    const [head, ...rows] = cellsOf(parts, 1)
    const row = (name: string) => rows.find((cells) => cells.get('B')?.text === name)
    const titles = [...(head?.values() ?? [])].map(({ text }) => text)
    expect(titles.slice(0, 4)).toEqual(['Photo', 'Name', 'Manufacturer', 'Model'])
    for (const name of [...words, ...formulas]) expect(row(name)?.get('B')?.type, name).toBe('str')
    const sizes = [...(parts.get('xl/worksheets/sheet1.xml') ?? '').matchAll(/<col [^>]*width="(\d+)"/g)]
    for (const [at, text] of titles.entries()) expect(Number(sizes[at]?.[1]), text).toBeGreaterThan(text.length)
    expect(parts.get('xl/worksheets/sheet1.xml')).not.toContain('<f>')
    const microphone = row('Large microphone')
    expect(microphone?.get('I')).toMatchObject({ type: 'n', text: '43616' })
    expect(microphone?.get('J')).toMatchObject({ type: 'n', text: '4200.5' })
    expect(row('Console')?.get('E')).toMatchObject({ type: 'str', text: '0012345678901234567' })
    expect(row(long)?.get('B')?.text).toBe(long)
    const formats = [...(parts.get('xl/styles.xml') ?? '').matchAll(/formatCode="([^"]*)"/g)].map(([, code]) => code)
    expect(formats).toEqual(['yyyy-mm-dd', '[$EUR] #,##0.00_-;-[$EUR] #,##0.00_-'])
  })

  it('has a sheet of totals that names the reader, and the disclaimers and titles on each printed page', async () => {
    const preparedFor = 'Lloyd & Daughters '.repeat(7).slice(0, 120)
    const { bytes, outcome } = await made(world, { format: 'xlsx', preparedFor })
    const parts = partsOf(bytes)
    expect(cellsOf(parts, 2)[1]?.get('A')?.text).toBe(`Prepared for ${preparedFor}`)
    const sums = cellsOf(parts, 2).find((cells) => cells.get('A')?.text === 'All items')
    expect(Number(sums?.get('E')?.text)).toBe(Number(outcome.totals.all.estimated_value))
    const [policy] = outcome.totals.policies
    const line = cellsOf(parts, 2).find((cells) => cells.get('A')?.text.includes(policy?.name ?? '?'))
    expect(line?.get('A')?.text).toContain(policy?.carrier)
    expect(Number(line?.get('K')?.text)).toBe(policy?.sums.without_amount_items)
    for (const sheet of ['xl/worksheets/sheet1.xml', 'xl/worksheets/sheet2.xml']) {
      expect(parts.get(sheet)).toMatch(
        /<oddFooter>[^<]*not insurance adequacy[^<]*no guarantee of resale value[^<]*&amp;P of &amp;N/,
      )
    }
    expect(parts.get('xl/workbook.xml')).toMatch(/_xlnm\.Print_Titles[^>]*>[^<]*\$1:\$1/)
  })
})

describe('the PDF', () => {
  it('has the studio, day, currency, headings, disclaimers and its number on each page', async () => {
    const { bytes, outcome } = await made(world, { format: 'pdf', day: '2027-01-31' })
    const pages = await pagesOf(bytes)
    expect(pages.length).toBeGreaterThan(1)
    for (const [index, page] of pages.entries()) {
      const disclaimers = ['not insurance adequacy', 'no guarantee of resale value']
      for (const words of [
        'Attic Sound',
        '31 January 2027',
        'EUR',
        `Page ${index + 1} of ${pages.length}`,
        ...disclaimers,
      ])
        expect(page).toContain(words)
    }
    expect(pages.join()).toContain('Totals by policy')
    expect(pages.at(-1)).toContain('Prepared by (name')
    expect(pages.at(-1)).toMatch(/Depreciation|Under-Declared and Not/)
    expect(outcome.totals.all.items).toBeGreaterThan(3)
  })

  it('shows every script that its font has, says what it lacks, and marks what it shortens', async () => {
    const { bytes, outcome } = await made(world, { format: 'pdf' })
    const text = (await pagesOf(bytes)).join('\n').replace(/\s+/g, ' ')
    for (const name of words) expect(text).toContain(name)
    expect(text).toContain('\uFFFD\uFFFD\uFFFD')
    expect(text).toContain('A very long name that goes on')
    expect(text).toMatch(/goes on and…|…/)
    expect(text).toContain('repl. 123,456,789,012.34')
    expect(outcome).toMatchObject({ unprintable: 2, shortened: 2 })
  })

  it('of a studio without equipment says so', async () => {
    const { id } = await world.newStudio()
    const text = (await pagesOf((await made(world, { format: 'pdf', studioId: id })).bytes)).join('\n')
    expect(text).toContain('No equipment is recorded for this day.')
    expect(text).not.toContain('Totals by policy')
    expect((await made(world, { format: 'xlsx', studioId: id })).outcome.totals.all.items).toBe(0)
  })
})
