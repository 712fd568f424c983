import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createLogin, dropLogin, rotateLogin } from '../../src/analysts/logins.ts'
import { asAdministrator, asOwner } from '../../src/database/session.ts'
import { createIdentify } from '../../src/graphql/identity.ts'
import type { Cast } from '../support/cast.ts'
import { createCastDatabase } from '../support/cast-database.ts'
import { type TestDatabase, testSecretKey } from '../support/server.ts'
import { expectRefused, runHere } from './here.ts'
import { envFor } from './run.ts'

let database: TestDatabase
let cast: Cast

beforeAll(async () => {
  ;({ database, cast } = await createCastDatabase())
})
afterAll(() => database?.drop())

const token = (...args: string[]) => runHere(['analyst', 'token', '--studio', 'attic sound', ...args], envFor(database))
const identify = createIdentify({ secretKeys: testSecretKey })

test('analyst token prints one line: an identity of the owner, or of the member asked for, for minutes', async () => {
  const { id, people } = cast.a
  for (const [args, userId, minutes] of [
    [[], people.owner.id, 15],
    [['--for', people.member.email, '--minutes', '5'], people.member.id, 5],
  ] as const) {
    const { status, stdout, stderr } = await token(...args)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    expect(await identify(`Bearer ${stdout.trim()}`)).toEqual({ studioId: id, userId, email: null })
    const { exp, iat } = JSON.parse(Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString())
    expect(exp - iat).toBe(minutes * 60)
  }
})

test('it is given to members alone, and for no longer than a quarter of an hour', async () => {
  const { email } = cast.outsider
  expectRefused(await token('--for', email), new RegExp(`^studio-inventory: ${email} is not a member of the studio\n$`))
  for (const minutes of ['0', '16', 'ten', '-1']) expectRefused(await token('--minutes', minutes), '--minutes')
})

test.each([
  ['a member', () => token(), 0],
  [
    'a login that was rotated just now',
    (login: string) => runHere(['analyst', 'token', '--login', login], envFor(database)),
    200,
  ],
])('it is dated by the clock of the database, when this machine is slow: of %s', async (_whose, issue, accepted) => {
  const { adminUrl } = database
  const wanted = { studioId: cast.a.id, userId: null, validDays: 40, connections: 1, timeout: 60 }
  const { login } = await asAdministrator(adminUrl, (transaction) => createLogin(transaction, adminUrl, wanted))
  try {
    await rotateLogin(adminUrl, login, 40)
    const before = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: before - 10 * 60_000 })
    const { stdout } = await issue(login)
    const { iat, exp } = JSON.parse(Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString())
    expect(iat).toBeGreaterThanOrEqual(Math.floor(before / 1000))
    expect(exp).toBeGreaterThan(iat)
    if (accepted) {
      const session = await asOwner(adminUrl, ({ query }) =>
        query('select status from access.open_login_session($1, $2, $3)', [cast.a.id, login, new Date(iat * 1000)]),
      )
      expect(session).toEqual([{ status: accepted }])
    }
  } finally {
    vi.useRealTimers()
    await dropLogin(adminUrl, login)
  }
})

test('it says so when the plan will not let it in', async () => {
  await asOwner(database.adminUrl, ({ query }) =>
    query('select access.set_subscription($1, $2, $3, null, null, null)', [cast.a.id, 'studio', 'canceled']),
  )
  const { status, stderr } = await token()
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: "The studio's plan does not include API access: GraphQL will refuse the token.\n",
  })
})
