import { beforeAll, describe, expect, it } from 'vitest'
import { withSchedule, withStudioReader } from '../../src/report/schedule.ts'
import { tablesOf } from '../../src/report/tables.ts'
import { groupDigits, valuesOf } from '../../src/report/words.ts'
import { useWorld } from '../support/world.ts'
import { cellsOf, linesOf, type Made, made, pagesOf, partsOf } from './support.ts'

const world = useWorld()

const cents = (amounts: (string | undefined)[]) =>
  amounts.reduce((sum, amount) => sum + BigInt((amount || '0.00').replace('.', '')), 0n)

const bookSheetOf = (bytes: Buffer) => {
  const parts = partsOf(bytes)
  const names = [...(parts.get('xl/workbook.xml') ?? '').matchAll(/<sheet name="([^"]*)"/g)].map(([, name]) => name)
  return cellsOf(parts, names.indexOf('Depreciation') + 1)
}

describe('the totals', () => {
  // test/console/sums.test.ts compares them with those of SQL and REST.
  it.each(['2024-02-29', '2030-12-31'])('of %s are what the lines add up to, to the cent', async (day) => {
    const { outcome, lines } = await linesOf(world, day)
    const { all, categories } = outcome.totals
    expect(lines).toHaveLength(all.items)
    const column = (name: string, of = lines) => cents(of.map((line) => line[name] ?? ''))
    expect(column('Value')).toBe(cents([all.estimated_value]))
    expect(column('Reported as insured')).toBe(cents([all.reported_insured_value]))
    expect(column('Declared under policies')).toBe(cents([all.declared_under_policies ?? undefined]))
    expect(column('Declared under policies') - column('Reported as insured')).toBe(column('Policies less reported'))
    for (const [label, key, sign] of [
      ['Under-Declared', 'under_declared', 1n],
      ['Not Declared', 'not_declared', 1n],
      ['Fully Declared', 'over_declared', -1n],
    ] as const) {
      const declared = lines.filter(({ Declaration }) => Declaration === label)
      expect(column('Gap', declared)).toBe(sign * cents([all[key]]))
    }
    for (const each of [all, ...categories]) {
      const reported = cents([each.reported_insured_value]) - cents([each.without_value_declared])
      const gaps = cents([each.under_declared, each.not_declared]) - cents([each.over_declared])
      expect(cents([each.estimated_value]) - reported).toBe(gaps)
    }
    for (const key of Object.keys(all) as (keyof typeof all)[]) {
      if (!/value|declared|price|cost/.test(key) || key.endsWith('_items')) continue
      expect(cents(categories.map((each) => String(each[key]))), key).toBe(cents([String(all[key])]))
    }
  })

  it('by policy count what is declared under each, and what is under none', async () => {
    const { totals } = (await linesOf(world)).outcome
    expect(totals.policies).toMatchObject([
      {
        ...{ name: 'Studio cover', number: 'P-1' },
        sums: { items: 2, declared_under_policies: '21000.00', estimated_value: '22500.25', without_amount_items: 0 },
      },
    ])
    expect(totals.uncovered?.items).toBe(totals.all.items - 2)
  })
})

describe('the tables for an insurer and an accountant', () => {
  let workbook: Made
  beforeAll(async () => {
    workbook = await made(world, { format: 'xlsx' })
  })
  const sumsIn = (sheet: Map<string, { text: string }>[], label: string, column: string) =>
    Number(sheet.find((cells) => cells.get('A')?.text === label)?.get(column)?.text)

  it('reconcile each financial year as IAS 16.73 does, with totals that continue the year before', async () => {
    const { outcome, bytes } = workbook
    const { books } = outcome.totals
    expect(books.length).toBeGreaterThan(2)
    const totals = books.filter(({ category }) => category === null).map(({ amounts }) => amounts)
    for (const [at, year] of totals.entries()) {
      const of = (key: keyof typeof year) => cents([year[key]])
      expect(of('opening_cost') + of('additions') - of('disposed_cost')).toBe(of('closing_cost'))
      expect(of('opening_accumulated') + of('charge') - of('disposed_accumulated')).toBe(of('closing_accumulated'))
      expect(of('closing_cost') - of('closing_accumulated')).toBe(of('closing_value'))
      expect(of('proceeds') - of('disposed_cost') + of('disposed_accumulated')).toBe(of('gain'))
      if (at > 0) expect(year.opening_value).toBe(totals[at - 1]?.closing_value)
    }
    expect(bookSheetOf(bytes).filter((cells) => cells.get('B')?.text === 'All categories')).toHaveLength(totals.length)
    const text = (await pagesOf((await made(world, { format: 'pdf' })).bytes)).join(' ').replace(/\s+/g, ' ')
    expect(text).toContain('Depreciation by financial year (IAS 16.73)')
    expect(text).toContain(groupDigits(totals.at(-1)?.closing_cost ?? '?'))
  })

  it('sum by source and by location with its parts, and list what is missing, up to the totals', async () => {
    const { outcome, bytes } = workbook
    const { all, sources, locations, missing } = outcome.totals
    expect(cents(sources.map((each) => each.estimated_value))).toBe(cents([all.estimated_value]))
    expect(cents(missing.map((each) => each.missing))).toBe(cents([all.left_to_declare]))
    const partOf = (place: string | undefined) => locations.find((each) => each.location.startsWith(`${place} › `))
    const whole = locations.find(({ location }) => partOf(location))
    const part = partOf(whole?.location)
    expect(whole?.items).toBeGreaterThanOrEqual(part?.items ?? Number.NaN)
    expect(part?.address).not.toBe('')
    const sheet = cellsOf(partsOf(bytes), 4)
    expect(sumsIn(sheet, 'Under-Declared', 'G')).toBe(Number(all.under_declared))
    expect(sumsIn(sheet, 'Left to declare', 'G')).toBe(missing.reduce((total, each) => total + Number(each.missing), 0))
    const places = cellsOf(partsOf(bytes), 3)
    const column = [...(places[0] ?? [])].find(([, { text }]) => text === 'Value')?.[0] ?? ''
    expect(sumsIn(places, 'All items', column)).toBe(Number(all.estimated_value))
  })

  it('of one policy have its items alone, its dates, and what is declared against its limit', async () => {
    const request = { policy: 'studio COVER', preparedFor: 'Mutual & Co' }
    const { outcome, bytes } = await made(world, { format: 'pdf', ...request })
    const { all, policies, books } = outcome.totals
    expect(all).toMatchObject({ items: 2, declared_under_policies: '21000.00' })
    const [policy] = policies
    expect(policies).toMatchObject([{ name: 'Studio cover', sums: { declared_under_policies: '21000.00' } }])
    expect(Number(policy?.left)).toBe(Number(policy?.limit) - 21_000)
    expect(books).toEqual([])
    const withoutLimit = { ...outcome.totals, policies: policies.map((each) => ({ ...each, limit: null, left: null })) }
    const table = tablesOf(outcome.heading, withoutLimit).find(({ title }) => title === 'The policy')
    expect(table?.rows[0]?.cells.slice(3, 6)).toEqual(['21000.00', 'Not recorded', null])
    const pages = await pagesOf(bytes)
    const [first] = pages
    expect(pages.join('\n').match(/Studio cover/g)).toHaveLength(2)
    expect(pages.join('\n')).not.toMatch(/under (several )?policies|under each/)
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
    const { lines, outcome } = await linesOf(world)
    const { data } = await world.read<{ data: { name: string; id: string }[] }>('/v1/items?per_page=100')
    for (const { id, name } of data) {
      const { data: item } = await world.read<{ data: { current_estimated_value: number | null } }>(`/v1/items/${id}`)
      const value = lines.find(({ Name }) => Name?.replace(/^'/, '').trim() === name.trim())?.Value
      expect(value === '' ? null : Number(value), name).toBe(item.current_estimated_value)
    }
    const { heading } = outcome
    expect(valuesOf({ ...heading, day: heading.today })).toMatch(/^Current values on \d/)
    expect(valuesOf({ ...heading, day: '2199-01-31' })).toBe(
      'Values expected at the end of 31 January 2199, by what is recorded now',
    )
    const [first] = await pagesOf((await made(world, { format: 'pdf', day: '2020-06-30' })).bytes)
    expect(first?.replace(/\s+/g, ' ')).toContain(
      'Values at the end of 30 June 2020: market values known by then, everything else as recorded now',
    )
  })

  it('that is past has the equipment, values and policies of then', async () => {
    const { lines } = await linesOf(world, '2020-06-30')
    const microphone = lines.find(({ Name }) => Name === 'Large microphone')
    expect(microphone).toMatchObject({
      ...{ Day: '2020-06-30', Source: 'Depreciated', 'Replacement cost': '9000.00' },
      ...{ 'Book value': microphone?.Value, Key: expect.stringContaining('MIC-1') },
    })
    // The policy "Withdrawn" was archived later. Nothing says when, and the report says so.
    expect(microphone?.Policies).toBe('Studio cover (P-1): 5000.00; Withdrawn, archived')
  })

  it.each(['2026-02-30', '31.03.2026', '1899-12-31', '2200-01-01', "2026-01-01'"])('%j is refused', async (day) => {
    await expect(made(world, { format: 'csv', day })).rejects.toThrow('YYYY-MM-DD')
  })
})

it.each([null, '1925-06-30', '2030-01-01'])(
  'the report of %s shows nothing of another studio, and nothing that is hidden',
  async (day) => {
    const csv = await made(world, { format: 'csv', day })
    const sheets = partsOf((await made(world, { format: 'xlsx', day })).bytes).values()
    const pages = await pagesOf((await made(world, { format: 'pdf', day })).bytes)
    const all = [csv.bytes.toString(), JSON.stringify(csv.outcome), ...sheets, ...pages]
    for (const text of [...all, ...pages.map((page) => page.replaceAll(',', ''))]) world.cast.expectNoCanary(text)
  },
)

it('the report of the other studio has its own, so that the search above can find something', async () => {
  const { bytes, outcome } = await made(world, { format: 'csv', studioId: world.cast.b.id })
  expect(() => world.cast.expectNoCanary(bytes)).toThrow()
  expect(outcome.totals.all.items).toBeGreaterThan(3)
})

it('a report is a snapshot: neither its items nor its totals show later writes', async () => {
  const studio = await world.newStudio()
  for (let n = 0; n < 3; n += 1) await world.add('items', { name: `Item ${n}`, purchase_price: '5.00' }, studio.id)
  const url = world.database.urlFor('studio_api')
  await withSchedule({ url, studioId: studio.id, day: null, format: 'csv' }, async ({ totals, batches }) => {
    await world.add('items', { name: 'Later', purchase_price: '7.00' }, studio.id)
    const names: string[] = []
    for await (const batch of batches) names.push(...batch.map(({ name }) => name))
    expect(names).toEqual(['Item 0', 'Item 1', 'Item 2'])
    expect(totals.all).toMatchObject({ items: 3, estimated_value: '15.00' })
  })
})

it('a report is read without a right to write', async () => {
  const url = world.database.urlFor('studio_writer')
  const writing = withStudioReader(url, world.cast.a.id, ({ query }) => query(`update app.items set name = 'x'`))
  await expect(writing).rejects.toThrow('read-only transaction')
})
