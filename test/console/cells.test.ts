import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { asOwner } from '../../src/database/session.ts'
import { changeAnyway, useCells } from '../support/cells.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'
import type { TestDatabase } from '../support/server.ts'
import type { TestService } from '../support/service.ts'
import { consoleOf, create, type Page, sessionCookie, signIn, type Visitor, visitorOf } from './support.ts'

const cells = useCells()
let service: TestService
let proxy: DatabaseProxy

/**
 * Olga owns studio A in eu1, and under the same e-mail studio Harbour in eu2 and the third studio in eu3. Bea owns Harbour, too, and is
 * known in eu2 alone.
 */
let harbour: string
const olga = () => cells.cast.a.people.owner
const bea = { email: 'bea@harbour.example' }

beforeAll(async () => {
  // Each cell has the people of its own studio.
  await forget(cells.eu1, 'b')
  await forget(cells.eu2, 'a')
  for (const studio of ['a', 'b'] as const) await forget(cells.eu3, studio)
  await asOwner(cells.eu3.adminUrl, ({ query }) =>
    query(`select access.add_member($1, $2, 'Olga', 'owner')`, [cells.third.id, olga().email]),
  )
  harbour = await asOwner(cells.eu2.adminUrl, async ({ query }) => {
    const [made] = await query<{ id: string }>(
      `select access.create_studio('Harbour', $1, 'Bea', 'studio', 'UTC', 'EUR') as id`,
      [bea.email],
    )
    await query(`select access.add_member($1, $2, 'Olga', 'owner')`, [made?.id, olga().email])
    return made?.id ?? ''
  })
  proxy = await openProxy(cells.eu2.adminUrl)
  const urlFor: TestDatabase['urlFor'] = (role) => proxy.reach(cells.eu2.urlFor(role))
  service = await cells.start({ otherCells: { eu2: { urlFor } }, console: consoleOf() })
})
afterEach(() => proxy.up())

async function forget(database: TestDatabase, studio: 'a' | 'b'): Promise<void> {
  const { id, people } = cells.cast[studio]
  const persons = Object.values(people).map((person) => person.id)
  await changeAnyway(database, 'delete from access.members where studio_id = $1', [id])
  await changeAnyway(database, `update access.users set email = 'gone.' || email where id = any ($1)`, [persons])
}

async function as({ email }: { email: string }): Promise<Visitor> {
  const visitor = visitorOf(service)
  expect((await signIn(visitor, email)).status).toBe(200)
  return visitor
}
const studios = ({ text }: Page) =>
  [...text.matchAll(/<h2><a href="[^"]*">([^<]*)<\/a><\/h2>/g)].map(([, name]) => name)

test('the list of studios spans cells, and each page acts in the cell of its studio', async () => {
  const visitor = await as(olga())
  expect(studios(await visitor.get('/console'))).toEqual(['Attic Sound', 'Cellar', 'Harbour'])
  for (const [studioId, name] of [
    [cells.cast.a.id, 'Attic Sound'],
    [harbour, 'Harbour'],
    [cells.third.id, 'Cellar'],
  ]) {
    const path = `/console/studios/${studioId}/tokens`
    expect((await visitor.get(path)).status).toBe(200)
    const token = await create(visitor, path, { name: 'Books of the cell', scope: '' })
    const { json } = await service.get<{ data: { name: string } }>('/v1/account', { token })
    expect(json.data.name).toBe(name)
  }
  const members = await visitor.get(`/console/studios/${harbour}/members`)
  expect(members.text.match(/>You</g)).toHaveLength(1)
})

test('somebody who is known in one cell sees its studios, and no page of others', async () => {
  const visitor = await as(bea)
  expect((await visitor.get('/console')).location).toBe(`/console/studios/${harbour}/tokens`)
  for (const path of ['tokens', 'members', 'audit-log', 'report']) {
    expect((await visitor.get(`/console/studios/${cells.cast.a.id}/${path}`)).status).toBe(404)
  }
})

test('somebody whom no cell knows is not signed in', async () => {
  const visitor = visitorOf(service)
  expect((await signIn(visitor, 'nobody@nowhere.example')).status).toBe(403)
  expect(visitor.cookies.has(sessionCookie)).toBe(false)
})

test('signing out ends the session in every cell', async () => {
  const visitor = await as(olga())
  const cookies = new Map(visitor.cookies)
  await visitor.get('/console')
  await visitor.post('/console/sign-out')
  for (const [name, value] of cookies) visitor.cookies.set(name, value)
  for (const studioId of [cells.cast.a.id, harbour, cells.third.id]) {
    expect((await visitor.get(`/console/studios/${studioId}/tokens`)).location).toBe('/console/sign-in')
  }
})

test('while a cell is down the others are there, and the list says that something is missing', async () => {
  const [visitor, other] = [await as(olga()), await as(bea)]
  await proxy.down()
  const page = await visitor.get('/console')
  expect(studios(page)).toEqual(['Attic Sound', 'Cellar'])
  expect(page.text).toContain('Some studios cannot be shown at the moment')
  // Whoever may be known there is not signed out.
  expect((await other.get('/console')).status).toBe(503)
  expect(other.cookies.has(sessionCookie)).toBe(true)
  expect((await signIn(visitorOf(service), olga().email)).status).toBe(200)
  expect((await signIn(visitorOf(service), bea.email)).status).toBe(503)
  await proxy.up()
  await vi.waitUntil(async () => (await other.get('/console')).status === 303, { timeout: 20_000 })
  expect(studios(await visitor.get('/console'))).toEqual(['Attic Sound', 'Cellar', 'Harbour'])
})
