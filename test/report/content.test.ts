import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { enterStudio } from '../../src/database/session.ts'
import { valuesOf } from '../../src/report/words.ts'
import { useWorld } from '../support/world.ts'
import { cellsOf, made, pagesOf, partsOf } from './support.ts'

const world = useWorld()

/** What people call their things, in the scripts that the PDF's font has. */
const words = ['Röhren-Vorverstärker „Größe“', 'Ζυγός Ήχου', 'Микрофон Октава', 'żółty Łódź', 'Señal ñandú Ðør']
const formulas = ['=1+1', '+49 30 1234', '-12 dB pad', '@home', '\tTab', '=HYPERLINK("http://x","y")']
const long = `A very long name ${'that goes on and on '.repeat(12)}to its end`

beforeAll(async () => {
  for (const name of [...words, ...formulas, long, 'テープ 🎛'])
    await world.add('items', { name, purchase_price: '10.10' })
  const { items } = world.cast.a
  await world.change('items', items.console, { serial_number: '0012345678901234567', model: 'A, "B"; C' })
})

const linesOf = async (day: string | null = null) => {
  const { bytes, outcome } = await made(world, { format: 'csv', day })
  const lines: Record<string, string>[] = parse(bytes, { bom: true, columns: true })
  return { bytes, outcome, lines }
}

/** Sums by SQL, in the session of the studio. */
const sumsOf = (day: string) =>
  world.asOwner(async (transaction) => {
    await enterStudio(transaction, world.cast.a.id)
    const { query } = transaction
    const [sums] = await query<{ items: number; value: string; declared: string; gap: string; price: string }>(
      `select count(*)::integer as items, sum(current_estimated_value)::text as value, sum(gap_amount)::text as gap,
         sum(reported_insured_value)::text as declared, sum(purchase_price)::text as price from api_v1.items_on($1)`,
      [day],
    )
    return sums
  })

const bookSheetOf = (bytes: Buffer) => {
  const parts = partsOf(bytes)
  const names = [...(parts.get('xl/workbook.xml') ?? '').matchAll(/<sheet name="([^"]*)"/g)].map(([, name]) => name)
  return cellsOf(parts, names.indexOf('Depreciation') + 1)
}

describe('the CSV', () => {
  it('is RFC 4180 in UTF-8 with the mark that Excel needs, and a line for every item of the API', async () => {
    const { bytes, lines } = await linesOf()
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
    expect(bytes.toString().replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    const { data } = await world.read<{ data: { name: string }[] }>('/v1/items?per_page=100')
    const plain = (name: string | undefined) => name?.replace(/^'/, '').trim()
    expect(lines.map(({ Name }) => plain(Name)).toSorted()).toEqual(data.map(({ name }) => name.trim()).toSorted())
    expect(lines.find(({ Name }) => Name === 'Console')).toMatchObject({
      'Serial number': '0012345678901234567',
      Model: 'A, "B"; C',
      Value: '15000.00',
      'Reported as insured': '16000.00',
      Gap: '-1000.00',
      Declaration: 'Fully Declared',
      'Declared under policies': '16000.00',
      'Policies less reported': '0.00',
      Policies: 'Studio cover (P-1): 16000.00',
      'Book value': '20000.00',
      'Replacement cost': '',
      Currency: 'EUR',
    })
  })

  it('holds what looks like a formula as text that no spreadsheet evaluates, and every script as it is', async () => {
    const { lines } = await linesOf()
    const names = lines.map(({ Name }) => Name)
    expect(names).toEqual(expect.arrayContaining([...formulas.map((name) => `'${name}`), ...words]))
    const cells = lines.flatMap((line) => Object.values(line))
    expect(cells.filter((cell) => /^[=+@\t\r]|^-(?!\d+\.\d\d$)/.test(cell))).toEqual([])
  })
})

describe('the totals', () => {
  it.each(['2024-02-29', '2030-12-31'])('of %s are what SQL sums, to the cent', async (day) => {
    const { outcome, lines } = await linesOf(day)
    const { all, categories } = outcome.totals
    const cents = (amounts: string[]) =>
      amounts.reduce((sum, amount) => sum + BigInt((amount || '0.00').replace('.', '')), 0n)
    const sql = await sumsOf(day)
    expect(all).toMatchObject({ items: sql?.items, value: sql?.value ?? '0.00', purchasePrice: sql?.price ?? '0.00' })
    expect(lines).toHaveLength(all.items)
    const column = (name: string, of = lines) => cents(of.map((line) => line[name] ?? ''))
    expect(column('Value')).toBe(cents([all.value]))
    expect(column('Reported as insured')).toBe(cents([all.reported, all.unvaluedReported]))
    expect(column('Declared under policies')).toBe(cents([all.underPolicies]))
    expect(column('Declared under policies') - column('Reported as insured')).toBe(column('Policies less reported'))
    for (const [label, key, sign] of [
      ['Under-Declared', 'under', 1n],
      ['Not Declared', 'notDeclared', 1n],
      ['Fully Declared', 'over', -1n],
    ] as const) {
      expect(
        column(
          'Gap',
          lines.filter(({ Declaration }) => Declaration === label),
        ),
      ).toBe(sign * cents([all[key]]))
    }
    for (const sums of [all, ...categories]) {
      expect(cents([sums.value]) - cents([sums.reported])).toBe(
        cents([sums.under, sums.notDeclared]) - cents([sums.over]),
      )
    }
    for (const key of [
      'value',
      'reported',
      'under',
      'notDeclared',
      'over',
      'unvaluedReported',
      'underPolicies',
    ] as const) {
      expect(cents(categories.map((each) => each[key]))).toBe(cents([all[key]]))
    }
  })

  it('by policy count what is declared under each, and what is under none', async () => {
    const { totals } = (await linesOf()).outcome
    expect(totals.policies).toMatchObject([
      { name: 'Studio cover', number: 'P-1', items: 2, declared: '21000.00', value: '22500.25', undeclared: 0 },
    ])
    expect(totals.uncovered.items).toBe(totals.all.items - 2)
  })
})

describe('the tables for an insurer and an accountant', () => {
  const sumsIn = (sheet: Map<string, { text: string }>[], label: string, column: string) =>
    Number(sheet.find((cells) => cells.get('A')?.text === label)?.get(column)?.text)

  it('reconcile each financial year as IAS 16.73 does, with totals that continue the year before', async () => {
    const { outcome, bytes } = await made(world, { format: 'xlsx' })
    const { books } = outcome.totals
    expect(books.length).toBeGreaterThan(2)
    const totals = books.filter(({ category }) => category === null).map(({ amounts }) => amounts)
    const cents = (amount: string | undefined) => BigInt((amount ?? '').replace('.', ''))
    for (const [at, year] of totals.entries()) {
      const of = (key: keyof typeof year) => cents(year[key])
      expect(of('opening_cost') + of('additions') - of('disposed_cost')).toBe(of('closing_cost'))
      expect(of('opening_accumulated') + of('charge') - of('disposed_accumulated')).toBe(of('closing_accumulated'))
      expect(of('closing_cost') - of('closing_accumulated')).toBe(of('closing_value'))
      expect(of('proceeds') - of('disposed_cost') + of('disposed_accumulated')).toBe(of('gain'))
      if (at > 0) expect(year.opening_value).toBe(totals[at - 1]?.closing_value)
    }
    expect(bookSheetOf(bytes).filter((cells) => cells.get('B')?.text === 'All categories')).toHaveLength(totals.length)
    const [text, printed] = [
      (await pagesOf((await made(world, { format: 'pdf' })).bytes)).join(' ').replace(/\s+/g, ' '),
      totals.at(-1)?.closing_cost ?? '',
    ]
    expect(text).toContain('Depreciation by financial year (IAS 16.73)')
    expect(text).toContain(printed.replace(/\d(?=(?:\d{3})+\.)/g, '$&,'))
  })

  it('sum by source and by location with its parts, and list what is missing, up to the totals', async () => {
    const { outcome, bytes } = await made(world, { format: 'xlsx' })
    const { all, sources, locations, missing } = outcome.totals
    const sum = (amounts: string[]) => amounts.reduce((total, amount) => total + BigInt(amount.replace('.', '')), 0n)
    expect(sum(sources.map(({ value }) => value))).toBe(sum([all.value]))
    expect(sum(missing.map((each) => each.missing))).toBe(sum([all.under, all.notDeclared]))
    const whole = locations.find(({ location }) =>
      locations.some((other) => other.location.startsWith(`${location} › `)),
    )
    const part = locations.find(({ location }) => location.startsWith(`${whole?.location} › `))
    expect(whole?.items).toBeGreaterThanOrEqual(part?.items ?? Number.NaN)
    expect(part?.address).not.toBe('')
    const sheet = cellsOf(partsOf(bytes), 4)
    expect(sumsIn(sheet, 'Under-Declared', 'G')).toBe(Number(all.under))
    const places = cellsOf(partsOf(bytes), 3)
    const column = [...(places[0] ?? [])].find(([, { text }]) => text === 'Value')?.[0] ?? ''
    expect(sumsIn(places, 'All items', column)).toBe(Number(all.value))
  })

  it('of one policy have its items alone, its dates, and what is declared against its limit', async () => {
    const request = { policy: 'studio COVER', preparedFor: 'Mutual & Co' }
    const { outcome, bytes } = await made(world, { format: 'pdf', ...request })
    const { all, policies, books } = outcome.totals
    expect(all).toMatchObject({ items: 2, underPolicies: '21000.00' })
    const [policy] = policies
    expect(policies).toMatchObject([{ name: 'Studio cover', declared: '21000.00' }])
    expect(Number(policy?.left)).toBe(Number(policy?.limit) - 21_000)
    expect(books).toEqual([])
    const [first] = await pagesOf(bytes)
    expect(first).toMatch(/Policy: Studio cover \(P-1\).*In force from .*Prepared for Mutual & Co/s)
    expect(first).toMatch(/Declared under the policy\s+21,000\.00\s+Limit of the policy/)
    const byId = await made(world, { format: 'csv', policy: outcome.heading.policy?.id })
    expect(byId.outcome.totals.all.items).toBe(2)
  })

  it.each([
    ['nope', "there is no policy 'nope'"],
    ['Withdrawn', "the policy 'Withdrawn' is not in force"],
  ])('of the policy %s are refused with the reason', async (policy, reason) => {
    await expect(made(world, { format: 'csv', policy })).rejects.toThrow(reason)
  })
})

describe('a day', () => {
  it('that is today has the values of the API, and the report says which values it has', async () => {
    const { lines, outcome } = await linesOf()
    const { data } = await world.read<{ data: { name: string; id: string }[] }>('/v1/items?per_page=100')
    for (const { id, name } of data) {
      const { data: item } = await world.read<{ data: { current_estimated_value: number | null } }>(`/v1/items/${id}`)
      const value = lines.find(({ Name }) => Name?.replace(/^'/, '').trim() === name.trim())?.Value
      expect(value === '' ? null : Number(value), name).toBe(item.current_estimated_value)
    }
    expect(valuesOf({ ...outcome.heading, day: outcome.heading.today })).toMatch(
      /^Current values on .* as the API shows/,
    )
    for (const [day, words] of [
      ['2020-06-30', 'Values at the end of 30 June 2020: market values known by then, everything else as recorded now'],
      ['2199-01-31', 'Values expected at the end of 31 January 2199, by what is recorded now'],
    ] as const) {
      const [first] = await pagesOf((await made(world, { format: 'pdf', day })).bytes)
      expect(first?.replace(/\s+/g, ' ')).toContain(words)
    }
  })

  it('that is past has the equipment, values and policies of then', async () => {
    const { lines } = await linesOf('2020-06-30')
    const microphone = lines.find(({ Name }) => Name === 'Large microphone')
    expect(microphone).toMatchObject({
      ...{ Day: '2020-06-30', Source: 'Depreciated', 'Replacement cost': '9000.00' },
      ...{ 'Book value': microphone?.Value, Key: expect.stringContaining('MIC-1') },
    })
    // Withdrawn was archived since: nothing tells when, and it is said.
    expect(microphone?.Policies).toBe('Studio cover (P-1): 5000.00; Withdrawn, archived')
  })

  it.each(['2026-02-30', '31.03.2026', '1899-12-31', '2200-01-01', "2026-01-01'"])('%j is refused', async (day) => {
    await expect(made(world, { format: 'csv', day })).rejects.toThrow('YYYY-MM-DD')
  })
})

describe('the XLSX', () => {
  it('has text as text, amounts as numbers of the currency and days as days', async () => {
    const parts = partsOf((await made(world, { format: 'xlsx' })).bytes)
    const [head, ...rows] = cellsOf(parts, 1)
    const row = (name: string) => rows.find((cells) => cells.get('B')?.text === name)
    expect([...(head?.values() ?? [])].map(({ text }) => text).slice(0, 4)).toEqual([
      'Photo',
      'Name',
      'Manufacturer',
      'Model',
    ])
    for (const name of [...words, ...formulas]) expect(row(name)?.get('B')?.type, name).toBe('str')
    expect(parts.get('xl/worksheets/sheet1.xml')).not.toContain('<f>')
    const microphone = row('Large microphone')
    expect(microphone?.get('I')).toMatchObject({ type: 'n', text: '43616' })
    expect(microphone?.get('J')).toMatchObject({ type: 'n', text: '4200.5' })
    expect(row('Console')?.get('E')).toMatchObject({ type: 'str', text: '0012345678901234567' })
    expect(row(long)?.get('B')?.text).toBe(long)
    const formats = [...(parts.get('xl/styles.xml') ?? '').matchAll(/formatCode="([^"]*)"/g)].map(([, code]) => code)
    expect(formats).toEqual(['yyyy-mm-dd', '[$EUR] #,##0.00_-;-[$EUR] #,##0.00_-'])
  })

  it('has a sheet of totals, and the disclaimers and titles on each printed page', async () => {
    const { bytes, outcome } = await made(world, { format: 'xlsx' })
    const parts = partsOf(bytes)
    const sums = cellsOf(parts, 2).find((cells) => cells.get('A')?.text === 'All items')
    expect(Number(sums?.get('E')?.text)).toBe(Number(outcome.totals.all.value))
    const [policy] = outcome.totals.policies
    const line = cellsOf(parts, 2).find((cells) => cells.get('A')?.text.includes(policy?.name ?? '?'))
    expect(line?.get('A')?.text).toContain(policy?.carrier)
    expect(Number(line?.get('K')?.text)).toBe(policy?.undeclared)
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
      expect(page).toContain('Attic Sound')
      expect(page).toContain('31 January 2027')
      expect(page).toContain('EUR')
      expect(page).toContain('not insurance adequacy')
      expect(page).toContain('no guarantee of resale value')
      expect(page).toContain(`Page ${index + 1} of ${pages.length}`)
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
    expect(outcome).toMatchObject({ unprintable: 2, shortened: 2 })
  })

  it('of a studio without equipment says so', async () => {
    const { id } = await world.newStudio()
    const { bytes } = await made(world, { format: 'pdf', studioId: id })
    expect((await pagesOf(bytes)).join('\n')).toContain('There was no equipment on this day.')
    expect((await made(world, { format: 'xlsx', studioId: id })).outcome.totals.all.items).toBe(0)
  })
})
