import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parse } from 'csv-parse/sync'
import sharp from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import { useConsole, type Visitor } from './support.ts'

const world = useConsole()
const roles = ['owner', 'admin', 'member'] as const
const visitors = {} as Record<(typeof roles)[number] | 'foreign', Visitor>
beforeAll(async () => {
  const { a, b } = world.cast
  for (const role of roles) visitors[role] = await world.as(a.people[role])
  visitors.foreign = await world.as(b.people.owner)
})

/** The pages of A's studio, with what each must show of it. */
const pages = {
  overview: () => [world.page('overview'), 'Under-Declared', 'Microphones', 'items?without=photo'],
  items: () => [world.page('items'), 'Large microphone', 'Rack 1', 'Value Unknown', 'items.csv'],
  'an item': () => [
    world.page(`items/${world.cast.a.items.microphone}`),
    ...[
      '4006381333931',
      'Live room › Rack 1',
      'The market value of',
      'but market value comes first',
      'Depreciation schedule',
      'Studio cover',
      'Check the capsule',
    ],
  ],
  policies: () => [world.page('policies'), 'Studio cover', '€100,000.00', '€250.00', '21% of the limit'],
  'a policy': () => [
    world.page(`policies/${world.cast.a.policies.active}`),
    'fire, theft',
    'Console',
    'Large microphone',
  ],
  maintenance: () => [world.page('maintenance'), 'Check the capsule', 'Workshop', '1 Apr 2027'],
} satisfies Record<string, () => string[]>

describe.each(Object.entries(pages))('%s', (_name, of) => {
  it.each(roles)('shows the studio to an %s', async (role) => {
    const [path = '', ...shown] = of()
    const { status, text } = await visitors[role].get(path)
    expect({ status, missing: shown.filter((words) => !text.includes(words)) }).toEqual({ status: 200, missing: [] })
    world.cast.expectNoCanary(text)
    expect(text).not.toMatch(/Sold amplifier|Kx9unseen|<script(?![^>]* src=)|style=/)
  })

  it('shows nothing to anybody else', async () => {
    const [path = ''] = of()
    const nowhere = await visitors.foreign.get(world.page('overview', crypto.randomUUID()))
    const page = await visitors.foreign.get(path)
    expect([page.status, page.text]).toEqual([404, nowhere.text])
    expect((await world.stranger().get(path)).location).toBe('/console/sign-in')
  })
})

it.each(['items', 'policies', 'photos'] as const)('what another studio has among its %s is not found', async (kind) => {
  const { b } = world.cast
  const [photo] = await world.owner<{ id: string }>('select id from app.item_photos where studio_id = $1', [b.id])
  const paths = {
    items: `items/${b.items.microphone}`,
    policies: `policies/${b.policies.active}`,
    photos: `photos/${photo?.id}/small`,
  }
  expect((await visitors.owner.get(world.page(paths[kind]))).status).toBe(404)
})

it('an archived item is not found, and is in no list', async () => {
  expect((await visitors.owner.get(world.page(`items/${world.cast.a.items.archived}`))).status).toBe(404)
})

it('the overview has the sums of the API', async () => {
  type Sums = Record<'estimated_value' | 'under_declared' | 'not_declared' | 'without_value_declared', number>
  const unknown = await world.add('items', { name: 'Of unknown value', reported_insured_value: 70.25 })
  const { data } = await world.read<{ data: { total: Sums } }>('/v1/valuations/summary?by=coverage_state')
  const { text } = await visitors.member.get(world.page('overview'))
  const figures = [...text.matchAll(/<dt>([^<]+)<\/dt><dd><strong>€([\d,.]+)</g)].map(([, name, amount]) => [
    name,
    Number(amount?.replaceAll(',', '')),
  ])
  expect(Object.fromEntries(figures)).toMatchObject({
    Value: data.total.estimated_value,
    'Under-Declared': data.total.under_declared,
    'Not Declared': data.total.not_declared,
  })
  expect(data.total.without_value_declared).toBe(70.25)
  expect(text).toMatch(/without a value, €70\.25 declared for them/)
  await world.change('items', unknown, { archived_at: '2026-01-01T00:00:00Z' })
})

it('a change shows in the overview at once', async () => {
  const id = await world.add('items', { name: 'New arrival', purchase_price: 1_000_000 })
  expect((await visitors.member.get(world.page('overview'))).text).toMatch(/Value<\/dt><dd><strong>€1,0\d\d,/)
  await world.change('items', id, { archived_at: '2026-01-01T00:00:00Z' })
  expect((await visitors.member.get(world.page('overview'))).text).not.toMatch(/Value<\/dt><dd><strong>€1,0\d\d,/)
})

const namesIn = (text: string) =>
  [...text.matchAll(/<td><a class="typed" href="[^"]+">([^<]+)</g)].map(([, name]) => name)

it.each([
  ['q=m49+maker', ['Large microphone']],
  ['category=Guitars+%26+Basses', ['Guitar']],
  ['coverage=uninsured', ['Compressor']],
  ['without=value', ['Box of odds and ends', 'Tape machine']],
  ['without=serial&location=ROOM', ['Console']],
  ['without=photo&coverage=fully_covered', ['Console']],
  ['location=ROOM', ['Console', 'Large microphone']],
  ['location=ROOM&order=value', ['Console', 'Large microphone']],
  ['location=ROOM&order=value-up', ['Large microphone', 'Console']],
  ['q=nothing+like+it', []],
  ['page=9', []],
])('the items of ?%s are those', async (query, names) => {
  const asked = query.replace('ROOM', world.cast.a.locations.room)
  const { status, text } = await visitors.member.get(world.page(`items?${asked}`))
  expect([status, namesIn(text)]).toEqual([200, names])
  const csv = await visitors.member.get(world.page(`items.csv?${asked}`))
  const rows: Record<string, string>[] = parse(csv.text, { columns: true, bom: true })
  if (query !== 'page=9') expect(rows.map(({ Name }) => Name)).toEqual(names)
})

it('a photo is shown small, and to members alone', async () => {
  const { microphone } = world.cast.a.items
  const png = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#336699' } })
    .png()
    .toBuffer()
  const file = join(world.photosDir, world.cast.a.photoKeys[0] ?? '')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, png)
  const { text } = await visitors.member.get(world.page('items'))
  const path = /<img src="([^"]+\/small)"/.exec(text)?.[1] ?? ''
  const { status, headers } = await visitors.member.get(path)
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'image/jpeg',
    'private, max-age=3600',
  ])
  expect((await visitors.foreign.get(path)).status).toBe(404)
  expect((await visitors.member.get(world.page(`items/${microphone}`))).text).toContain(path.replace('small', 'large'))
})

it('closed months are a line, and a table of the same sums', async () => {
  const { id } = world.cast.a
  await world.asOwner(async (transaction) => {
    await transaction.query(`select pg_catalog.set_config('studio.id', $1, true)`, [id])
    await transaction.query(
      `insert into app.closings (studio_id, month_end, items, estimated_value, reported_insured_value)
       values ($1, '2025-01-31', 7, 30000, 21000), ($1, '2025-02-28', 7, 29000.50, 21000)`,
      [id],
    )
  })
  const { text } = await visitors.member.get(world.page('overview'))
  expect(text).toMatch(/<polyline class="accent" points="0\.00,40\.00 \d+\.00,42\.00 /)
  expect(text).toContain('Declared, all items</th>')
  expect(text).toMatch(/Feb 2025<\/th><td class="number">€29,000\.50<\/td>/)
})
