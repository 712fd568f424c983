import { beforeEach, describe, expect, test } from 'vitest'
import { type Plan, parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio

beforeEach(async () => {
  studio = await sql.studio()
})

type Location = { id: string; is_default: boolean; updated_at: string }

const list = async (page = 1, perPage = 50, since: string | null = null) => {
  const answer = await studio.ask('list_locations', page, perPage, since)
  return { ...answer, locations: parsed<Location>(answer) }
}

test('a location has exactly its fields', async () => {
  const parent_id = (await list()).locations[0]?.id
  const id = await studio.add('locations', {
    ...{ name: 'Live room', description: 'wood', type: 'room', parent_id, address_line1: 'Köthener Str. 38' },
    ...{ address_line2: '2nd floor', city: 'Berlin', region: 'BE', postal_code: '10963', country_code: 'DE' },
  })
  expect((await list()).data?.split('},{')[0]?.replace(/"(created|updated)_at":"[^"]+"/g, '"$1_at":"…"')).toBe(
    `{"id":"${id}","name":"Live room","description":"wood","type":"room","parent_id":"${parent_id}",` +
      `"address_line1":"Köthener Str. 38","address_line2":"2nd floor","city":"Berlin","region":"BE",` +
      `"postal_code":"10963","country_code":"DE","is_default":false,"created_at":"…","updated_at":"…"`,
  )
})

test('what is not recorded is null', async () => {
  const [location] = (await list()).locations
  expect(location).toMatchObject({ description: null, type: null, parent_id: null, city: null, is_default: true })
})

test('the newest updated comes first, in pages that meet exactly', async () => {
  for (let n = 0; n < 6; n++) await studio.add('locations', { name: `room ${n}` })
  const { locations, total } = await list()
  expect(total).toBe('7')
  const key = (location: Location) => `${location.updated_at}${location.id}`
  const sorted = [...locations].sort((a, b) => (key(a) < key(b) ? 1 : -1))
  expect(locations).toEqual(sorted)
  const paged = [...(await list(1, 4)).locations, ...(await list(2, 4)).locations]
  expect(paged).toEqual(locations)
  expect(await list(3, 4)).toMatchObject({ status: 200, total: '7', data: '' })
  expect(await studio.ask('list_locations', Number.MAX_SAFE_INTEGER, 100, null)).toMatchObject({ total: '7', data: '' })
})

test('updated_since selects what was updated at it or after', async () => {
  const room = await studio.add('locations')
  const moment = await studio.updatedAt('locations', room)
  const since = async (at: number) => (await list(1, 50, new Date(at).toISOString())).locations.map(({ id }) => id)
  expect(await since(moment)).toEqual([room])
  expect(await since(moment + 1)).toEqual([])
  expect(await since(0)).toHaveLength(2)
})

describe('on a Pro plan', () => {
  test.each<Plan>(['pro', 'pro_insure'])('the answer is the one implicit location: %s', async (plan) => {
    for (let n = 0; n < 3; n++) await studio.add('locations')
    await sql.owner.rows(`select access.set_subscription($1, $2, 'active')`, [studio.id, plan])
    const { status, total, locations } = await list()
    expect({ status, total }).toEqual({ status: 200, total: '1' })
    expect(locations).toMatchObject([{ is_default: true }])
    expect((await list(2, 1)).data).toBe('')
  })

  test('a trial of the Studio plan shows them all', async () => {
    await studio.add('locations')
    await sql.owner.rows(`select access.set_subscription($1, 'studio', 'trialing', now() + interval '1 day')`, [
      studio.id,
    ])
    expect((await list()).total).toBe('2')
  })
})

test('another studio’s locations are not among them', async () => {
  const stranger = await sql.studio()
  await stranger.add('locations', { name: 'CANARY' })
  const { data, total } = await list()
  expect(total).toBe('1')
  expect(data).not.toContain('CANARY')
})
