import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CastToken, createToken } from '../support/cast.ts'
import { oneConnection } from '../support/client.ts'
import { useWorld } from '../support/world.ts'

/** Authority is checked at every request: it may end between two requests on one connection. */
const world = useWorld()
let agent = oneConnection()
beforeEach(() => {
  agent = oneConnection()
})
afterEach(() => agent.destroy())

/** The statuses before and after a change, on one kept-alive connection; whatever is answered,
 * never with data of B. */
async function around({ token }: CastToken, change: () => Promise<unknown>): Promise<[number, number]> {
  const first = await world.service.get('/v1/items', { token, agent })
  await change()
  const second = await world.service.get('/v1/items', { token, agent })
  expect(second.connection).toBe(first.connection)
  for (const { bytes, rawHeaders } of [first, second]) world.cast.expectNoCanary(`${bytes} ${rawHeaders}`)
  if (second.status === 200) expect(second.json).toMatchObject({ data: [{ name: 'Ours' }] })
  return [first.status, second.status]
}

type Studio = Awaited<ReturnType<typeof makeStudio>>

/** A studio with one item, an owner, an admin and a member. */
async function makeStudio() {
  const { id, owner } = await world.newStudio()
  await world.add('items', { name: 'Ours' }, id)
  const emailOf = (role: string) => `${role}.${id}@example.com`
  const add = async (role: string) => {
    const text = 'select access.add_member($1, $2, $3, $3) as id'
    const [user] = await world.owner<{ id: string }>(text, [id, emailOf(role), role])
    return user?.id ?? ''
  }
  const [admin, member] = [await add('admin'), await add('member')]
  const issue = (by: string, scope: string | null = null) => createToken(world.database, id, by, 'Books', scope)
  const remove = (user: string) => world.owner('select access.remove_member($1, $2)', [id, user])
  const join = () =>
    world.owner(`select access.add_member($1, $2, 'Again', 'admin')`, [world.cast.b.id, emailOf('admin')])
  return { id, owner, admin, member, issue, remove, join }
}

type Issue = (studio: Studio) => Promise<CastToken>
type Change = (studio: Studio, token: CastToken) => Promise<unknown>
const revoke: Change = ({ id, owner }, token) =>
  world.owner('select access.revoke_token($1, $2, $3)', [id, token.id, owner])

test.each<[claim: string, issue: Issue, ...[change: Change, statuses: [number, number]][]]>([
  ['revoked: 401 at the next request', (s) => s.issue(s.owner), [revoke, [200, 401]], [revoke, [401, 401]]],
  [
    'downgraded to a plan without API access: 403 at the next request; upgraded: 200',
    (s) => s.issue(s.owner),
    [(s) => world.subscribe(s.id, 'studio', 'canceled'), [200, 403]],
    [(s) => world.subscribe(s.id, 'studio'), [403, 200]],
  ],
  [
    'the scoped member removed: the token acts as its issuer',
    (s) => s.issue(s.owner, s.member),
    [(s) => s.remove(s.member), [200, 200]],
    [async ({ id }, token) => expect(await scopeOf(id, token)).toBeNull(), [200, 200]],
  ],
  [
    'the issuer removed: the token acts as the member; the member removed too: 401',
    (s) => s.issue(s.admin, s.member),
    [(s) => s.remove(s.admin), [200, 200]],
    [(s) => s.remove(s.member), [200, 401]],
  ],
  [
    'the user moved to another studio: 401, and nothing of that studio',
    (s) => s.issue(s.admin),
    [(s) => s.remove(s.admin).then(s.join), [200, 401]],
  ],
  ['a member of two studios sees only the token’s studio', (s) => s.issue(s.admin), [(s) => s.join(), [200, 200]]],
  [
    'an issuer who becomes a plain member keeps the issued tokens',
    (s) => s.issue(s.admin),
    [
      ({ id, admin }) =>
        world.owner(`update access.members set role = 'member' where studio_id = $1 and user_id = $2`, [id, admin]),
      [200, 200],
    ],
  ],
])('%s', async (_claim, issue, ...changes) => {
  const studio = await makeStudio()
  const token = await issue(studio)
  for (const [change, statuses] of changes) {
    expect(await around(token, () => change(studio, token))).toEqual(statuses)
  }
})

async function scopeOf(studio: string, { id }: CastToken): Promise<unknown> {
  const text = 'select scope_user_id from access.tokens where studio_id = $1 and id = $2'
  return (await world.owner<{ scope_user_id: unknown }>(text, [studio, id]))[0]?.scope_user_id
}

test('a scoped token reads the whole studio, as an unscoped one does', async () => {
  const { owner, member, issue } = await makeStudio()
  const [unscoped, scoped] = [await issue(owner), await issue(owner, member)]
  expect((await world.get('/v1/items', scoped)).text).toBe((await world.get('/v1/items', unscoped)).text)
})
