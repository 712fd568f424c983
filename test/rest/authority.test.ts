import { afterEach, beforeEach, expect, test } from 'vitest'
import { createToken } from '../support/cast.ts'
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
async function around(token: string, change: () => Promise<unknown>): Promise<[number, number]> {
  const first = await world.service.get('/v1/items', { token, agent })
  await change()
  const second = await world.service.get('/v1/items', { token, agent })
  expect(second.connection).toBe(first.connection)
  for (const { bytes, rawHeaders } of [first, second]) world.cast.expectNoCanary(`${bytes} ${rawHeaders}`)
  if (second.status === 200) expect(second.json).toMatchObject({ data: [{ name: 'Ours' }] })
  return [first.status, second.status]
}

/** A studio with one item, an owner, an admin and a member. */
async function studio() {
  const { id, owner } = await world.newStudio()
  await world.add('items', { name: 'Ours' }, id)
  const add = async (role: string) => {
    const email = `${role}.${id}@example.com`
    const [user] = await world.owner<{ id: string }>('select access.add_member($1, $2, $3, $4) as id', [
      id,
      email,
      role,
      role,
    ])
    return user?.id ?? ''
  }
  const [admin, member] = [await add('admin'), await add('member')]
  const issue = (by: string, scope: string | null = null) => createToken(world.database, id, by, 'Books', scope)
  const remove = (user: string) => world.owner('select access.remove_member($1, $2)', [id, user])
  return { id, owner, admin, member, issue, remove }
}

test('revoked: 401 at the next request', async () => {
  const { id, owner, issue } = await studio()
  const { id: tokenId, token } = await issue(owner)
  const revoke = () => world.owner('select access.revoke_token($1, $2, $3)', [id, tokenId, owner])
  expect(await around(token, revoke)).toEqual([200, 401])
  expect(await around(token, revoke)).toEqual([401, 401])
})

test('downgraded to a plan without API access: 403 at the next request; upgraded: 200', async () => {
  const { id, owner, issue } = await studio()
  const { token } = await issue(owner)
  const cancel = () => world.owner(`select access.set_subscription($1, 'studio', 'canceled')`, [id])
  const renew = () => world.owner(`select access.set_subscription($1, 'studio', 'active')`, [id])
  expect(await around(token, cancel)).toEqual([200, 403])
  expect(await around(token, renew)).toEqual([403, 200])
})

test('the scoped member removed: the token acts as its issuer', async () => {
  const { id, owner, member, issue, remove } = await studio()
  const { id: tokenId, token } = await issue(owner, member)
  expect(await around(token, () => remove(member))).toEqual([200, 200])
  const [stored] = await world.owner('select scope_user_id from access.tokens where studio_id = $1 and id = $2', [
    id,
    tokenId,
  ])
  expect(stored).toEqual({ scope_user_id: null })
})

test('the issuer removed too: 401', async () => {
  const { admin, member, issue, remove } = await studio()
  const { token } = await issue(admin, member)
  expect(await around(token, () => remove(admin))).toEqual([200, 200])
  expect(await around(token, () => remove(member))).toEqual([200, 401])
})

test('the user moved to another studio: 401, and nothing of that studio', async () => {
  const { admin, issue, remove } = await studio()
  const { token } = await issue(admin)
  const move = async () => {
    await remove(admin)
    const [user] = await world.owner<{ email: string }>('select email from access.users where id = $1', [admin])
    await world.owner(`select access.add_member($1, $2, 'Moved', 'owner')`, [world.cast.b.id, user?.email])
  }
  expect(await around(token, move)).toEqual([200, 401])
})

test('a member of two studios sees only the token’s studio', async () => {
  const { admin, issue } = await studio()
  const { token } = await issue(admin)
  const join = async () => {
    const [user] = await world.owner<{ email: string }>('select email from access.users where id = $1', [admin])
    await world.owner(`select access.add_member($1, $2, 'Twice', 'admin')`, [world.cast.b.id, user?.email])
  }
  expect(await around(token, join)).toEqual([200, 200])
})

test('a scoped token reads the whole studio, as an unscoped one does', async () => {
  const { owner, member, issue } = await studio()
  const [unscoped, scoped] = [await issue(owner), await issue(owner, member)]
  const read = async (token: string) => (await world.service.get<object>('/v1/items', { token })).text
  expect(await read(scoped.token)).toBe(await read(unscoped.token))
})

test('an issuer who becomes a plain member keeps the issued tokens', async () => {
  const { id, admin, issue } = await studio()
  const { token } = await issue(admin)
  const demote = () =>
    world.owner(`update access.members set role = 'member' where studio_id = $1 and user_id = $2`, [id, admin])
  expect(await around(token, demote)).toEqual([200, 200])
})
