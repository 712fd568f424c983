import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createLogin, dropLogin, rotateLogin } from '../../src/analysts/logins.ts'
import { asAdministrator } from '../../src/database/session.ts'
import { signAnalystToken } from '../../src/graphql/analyst-token.ts'
import { runHere } from '../cli/here.ts'
import { envFor } from '../cli/run.ts'
import { testSecretKey, withClient } from '../support/server.ts'
import { useGraphql } from './support.ts'

const world = useGraphql()
const query = '{ account { name } }'
const daySeconds = 24 * 60 * 60
const hired: string[] = []
let login: string

beforeEach(async () => {
  login = await makeLogin(null)
})
// Logins belong to the whole server.
afterAll(async () => {
  await withClient(new URL('/postgres', world.database.adminUrl).href, async (admin) => {
    for (const each of hired) await admin.query(`drop role if exists "${each}"`)
  })
})

async function makeLogin(userId: string | null): Promise<string> {
  const { adminUrl } = world.database
  const wanted = { studioId: world.cast.a.id, userId, validDays: 40, connections: 1, timeout: 60 }
  const made = await asAdministrator(adminUrl, (transaction) => createLogin(transaction, adminUrl, wanted))
  hired.push(made.login)
  return made.login
}

const command = (...args: string[]) => runHere(['analyst', 'token', ...args], envFor(world.database))

async function issue(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await command('--login', login, ...args)
  expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('Valid until') })
  return stdout.trim()
}

const statusWith = async (token: string) => (await world.graphql.ask(query, { token })).status

function daysOf(token: string): number {
  const { exp, iat } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return (exp - iat) / daySeconds
}

test('an identity of a login reads its studio for days; without a number of days it is as valid as the login', async () => {
  const token = await issue('--days', '30')
  expect((await world.graphql.ask(query, { token })).data).toEqual({ account: { name: 'Attic Sound' } })
  expect(daysOf(token)).toBe(30)
  const days = daysOf(await issue())
  expect([days > 39.9, days <= 40]).toEqual([true, true])
})

describe('it is refused from the moment on at which', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['the login is dropped', () => dropLogin(world.database.adminUrl, login)],
    ['the login is rotated', () => rotateLogin(world.database.adminUrl, login, 40)],
    ['the validity of the login ends', () => alter(`valid until '2020-01-01'`)],
    ['the login may not log in any more', () => alter('nologin')],
    ['the login is no analyst any more', () => asSuperuser(`revoke studio_analyst from "${login}"`)],
  ])('%s', async (_what, end) => {
    const token = await issue()
    expect(await statusWith(token)).toBe(200)
    await end()
    expect(await statusWith(token)).toBe(401)
  })

  test('the member whom the login is for leaves', async () => {
    const { id, people } = world.cast.a
    login = await makeLogin(people.admin.id)
    const token = await issue()
    expect(await statusWith(token)).toBe(200)
    await world.owner('select access.remove_member($1, $2)', [id, people.admin.id])
    expect(await statusWith(token)).toBe(401)
  })

  test('it is older than 90 days, even if it says otherwise', async () => {
    const named = { studioId: world.cast.a.id, login }
    const [now, ago] = [Date.now, () => Date.now() - 91 * daySeconds * 1000]
    expect(await statusWith(await signAnalystToken(testSecretKey, named, { lifeSeconds: 1e9, now }))).toBe(200)
    expect(await statusWith(await signAnalystToken(testSecretKey, named, { lifeSeconds: 1e9, now: ago }))).toBe(401)
  })
})

test('a login opens its own studio and no other, and no other role is a login', async () => {
  const lifeSeconds = daySeconds
  for (const named of [
    { studioId: world.cast.b.id, login },
    { studioId: world.cast.a.id, login: 'analyst_000000000000' },
    { studioId: world.cast.a.id, login: 'studio_api' },
    { studioId: world.cast.a.id, login: 'studio_analyst' },
  ]) {
    expect(await statusWith(await signAnalystToken(testSecretKey, named, { lifeSeconds })), named.login).toBe(401)
  }
})

describe('the command says what is wrong:', () => {
  test.each<[string, () => string[], string]>([
    ['more days than the login has', () => ['--login', login, '--days', '60'], 'itself is valid for less than 60 days'],
    ['a login that there is not', () => ['--login', 'analyst_nobody'], "there is no analyst's login 'analyst_nobody'"],
    ['neither a studio nor a login', () => [], 'Give either --studio, for minutes, or --login, for days.'],
    ['days without a login', () => ['--studio', 'attic sound', '--days', '5'], '--days needs --login'],
  ])('%s', async (_what, args, words) => {
    const { status, stdout, stderr } = await command(...args())
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain(words)
  })
})

const asSuperuser = (text: string) => withClient(world.database.adminUrl, (admin) => admin.query(text))
const alter = (change: string) => asSuperuser(`alter role "${login}" ${change}`)
