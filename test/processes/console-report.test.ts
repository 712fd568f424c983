import { parse } from 'csv-parse/sync'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createConsole } from '../../src/console/console.ts'
import { createReports, type Reports, type StartedReport, startReport } from '../../src/report/reports.ts'
import {
  type ConsoleWorld,
  generousConsole,
  method,
  rateLimits,
  signIn,
  type Visitor,
  visitorOf,
} from '../console/support.ts'
import { testSecretKey } from '../support/server.ts'
import { useWorld } from '../support/world.ts'

/** A process takes its time to start and to end where others use the cores. */
const generousTimeout = { timeout: 20_000 }

/** Holds a report back before it starts, until the test lets it go. */
let gate: Promise<void> | undefined
let reports: Reports | undefined
const world = useWorld({
  console: ({ url, ...parts }) => {
    const photos = { photosS3: undefined, publicUrl: url, photosDir: world.photosDir }
    const options = { databaseUrl: world.database.urlFor('studio_api'), secretKeys: testSecretKey, photos }
    reports = createReports(options, async (...given): Promise<StartedReport> => {
      await gate
      return startReport(...given)
    })
    const config = { publicUrl: url, docsUrl: `${url}/docs`, rateLimits, console: generousConsole }
    return createConsole({ ...parts, config, secretKeys: testSecretKey, method, reports })
  },
}) as ConsoleWorld

afterAll(() => reports?.close())

const path = (studioId = world.cast.a.id) => `/console/studios/${studioId}/report`
async function as(person: { email: string }): Promise<Visitor> {
  const visitor = visitorOf(world.service)
  await signIn(visitor, person.email)
  await visitor.get('/console/studios')
  return visitor
}
let owner: Visitor
beforeEach(async () => {
  gate = undefined
  owner = await as(world.cast.a.people.owner)
})

describe('an owner or an admin', () => {
  it.each([
    ['owner', 'csv', '2026-03-31', 'text/csv; charset=utf-8', '\ufeff'],
    ['admin', 'pdf', '', 'application/pdf', '%PDF-'],
    ['admin', 'xlsx', '', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'PK'],
  ] as const)('(%s) downloads it as %s of a day, today where none is given', async (role, format, on, type, begins) => {
    const visitor = await as(world.cast.a.people[role])
    const page = await visitor.get(path())
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('aria-current="page">Report</a>')])
    const file = await visitor.post(path(), { format, on })
    expect(file.status, file.text).toBe(200)
    expect(file.headers.get('content-type')).toBe(type)
    const name = `equipment-attic-sound-${on || '\\d{4}-\\d\\d-\\d\\d'}.${format}`
    expect(file.headers.get('content-disposition')).toMatch(new RegExp(`^attachment; filename="${name}"$`))
    expect(file.headers.get('cache-control')).toBe('private, no-store')
    expect(file.headers.get('x-content-type-options')).toBe('nosniff')
    if (format !== 'csv') return expect(file.text.startsWith(begins)).toBe(true)
    const lines: Record<string, string>[] = parse(file.text, { bom: true, columns: true })
    expect(lines.map(({ Name }) => Name)).toContain('Large microphone')
    world.cast.expectNoCanary(file.text)
  })

  it.each([
    [{ format: 'doc', on: '' }, 'Choose one of the formats.'],
    [{ format: 'pdf', on: '31.3.2026' }, 'Enter a day from 1900 to 2199'],
    [{ format: 'pdf', on: '2026-02-30' }, 'Enter a day from 1900 to 2199'],
    [{ format: 'pdf', on: '', prepared_for: 'x'.repeat(121) }, 'Shorten it to 120 characters: it has 121.'],
  ])('reads why %j is not accepted', async (fields, why) => {
    const page = await owner.post(path(), fields)
    expect(page.status).toBe(422)
    expect(page.text).toContain(why)
  })
})

describe('everyone else', () => {
  it('gets the page or the file: a member, another studio, a stranger, a form from elsewhere', async () => {
    const member = await as(world.cast.a.people.member)
    expect((await member.get(path())).status).toBe(403)
    expect((await member.post(path(), { format: 'csv' })).status).toBe(403)
    expect((await member.get(`/console/studios/${world.cast.a.id}/tokens`)).text).not.toContain('/report')
    const other = await as(world.cast.b.people.owner)
    expect((await other.get(path())).status).toBe(404)
    expect((await other.post(path(), { format: 'csv' })).status).toBe(404)
    expect(await visitorOf(world.service).get(path())).toMatchObject({ status: 303, location: '/console/sign-in' })
    const forged = await owner.post(path(), { format: 'csv' }, { Origin: 'https://evil.example' })
    expect(forged.status).toBe(403)
    expect((await owner.post(path(), { format: 'csv', csrf_token: 'x' })).status).toBe(403)
  })
})

it('the report is the studio’s own data: it needs no plan, and no public API', async () => {
  const { id } = world.cast.a
  await world.owner('select access.set_public_api($1, false)', [id])
  await world.owner(
    `update access.subscriptions set status = 'canceled', current_period_start = now() - interval '2 days', current_period_end = now() - interval '1 day' where studio_id = $1`,
    [id],
  )
  try {
    expect((await owner.get(path().replace(/report$/, 'overview'))).text).toContain(path())
    const page = await owner.get(path())
    expect([page.status, page.text]).toEqual([200, expect.not.stringContaining('API tokens')])
    expect((await owner.post(path(), { format: 'csv' })).text).toContain('Large microphone')
  } finally {
    await world.owner('select access.set_public_api($1, true)', [id])
    await world.owner(`update access.subscriptions set status = 'active' where studio_id = $1`, [id])
  }
})

it('a studio has one report at a time, and all have two; the next one is made when one is there', async () => {
  let open = () => {}
  gate = new Promise((resolve) => {
    open = resolve
  })
  const first = owner.post(path(), { format: 'csv' })
  const admin = await as(world.cast.a.people.admin)
  await vi.waitUntil(async () => (await admin.post(path(), { format: 'csv' })).status === 429, generousTimeout)
  const again = await admin.post(path(), { format: 'csv' })
  expect(again.text).toContain('Another report of this studio is being made.')
  expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0)

  const third = await world.newStudio()
  const others = [world.cast.b.id, third.id]
  const request = (studioId: string) => ({ studioId, format: 'csv', day: null }) as const
  const second = reports?.start(request(others[0] ?? ''))
  await expect(reports?.start(request(others[1] ?? ''))).rejects.toMatchObject({ reason: 'all' })
  open()
  gate = undefined
  expect((await first).status).toBe(200)
  ;(await second)?.content.destroy()
  await vi.waitUntil(async () => (await admin.post(path(), { format: 'csv' })).status === 200, generousTimeout)
})

it('a reader who leaves ends the report and its connection', async () => {
  const started = await reports?.start({ studioId: world.cast.a.id, format: 'pdf', day: null })
  started?.content.destroy()
  await vi.waitUntil(async () => {
    const again = await reports?.start({ studioId: world.cast.a.id, format: 'csv', day: null }).catch(() => undefined)
    again?.content.destroy()
    return again !== undefined
  }, generousTimeout)
  await expect(started?.outcome).rejects.toThrow()
})
