import { beforeAll, expect, test } from 'vitest'
import { digestOf } from '../../src/auth/token.ts'
import { asOwner, asRole } from '../support/server.ts'
import { expectRefused, useCli } from './here.ts'
import { runCli } from './run.ts'

const cli = useCli()
const studio = 'Token Works'

beforeAll(async () => {
  await asOwner(cli.database, (owner) =>
    owner.query(
      `select access.add_member(id, 'ada@works.example', 'Ada', 'admin'), access.add_member(id, 'mem@works.example', 'Mem', 'member'),
         access.create_studio('Trial Works', 'tri@works.example', 'Tri', 'pro'),
         access.create_studio('Twin', 'a@twin.example', 'A'), access.create_studio('Twin', 'b@twin.example', 'B')
       from access.create_studio($1, 'ona@works.example', 'Ona') as id`,
      [studio],
    ),
  )
})

const token = (...args: string[]) => cli.run('token', ...args)
const create = (name: string, ...args: string[]) => token('create', '--studio', studio, '--name', name, ...args)
const list = () => cli.json('token', 'list', '--studio', studio)
/** Runs as a process, because only then it prints everything. */
const loudly = (...args: string[]) => runCli(['token', ...args], cli.env({ LOG_LEVEL: 'trace' }))

async function statusOf(secret: string): Promise<number> {
  const answer = await asRole(cli.database, 'studio_api', (client) =>
    client.query('select status from api_v1.get_account($1)', [digestOf(secret)]),
  )
  return answer.rows[0].status
}

test('create prints a token that works as the only line of standard output, and nowhere else', async () => {
  const { status, stdout, stderr } = await loudly('create', '--studio', 'token works', '--name', 'Accounting')
  expect(status).toBe(0)
  expect(stdout).toMatch(/^svc_studio_[0-9A-Za-z]{32}\n$/)
  expect(await statusOf(stdout.trim())).toBe(200)
  expect(stderr).not.toContain(stdout.trim())
  const kept = await cli.told('select to_json(t)::text as row from access.tokens t')
  expect(JSON.stringify(kept)).not.toContain(stdout.trim().slice('svc_studio_'.length))
})

test('the segment shown follows the plan', async () => {
  const made = await cli.json('token', 'create', '--studio', 'Trial Works', '--name', 'Trial')
  expect(made.token).toMatch(/^svc_pro_[0-9A-Za-z]{32}$/)
  expect(made.token.startsWith(made.prefix)).toBe(true)
})

test('list shows issuer, scope and last use, and never more of a token than its prefix', async () => {
  const made = await create('Scoped', '--issuer', 'ada@works.example', '--scope-to', 'MEM@works.example')
  const secret = made.stdout.trim()
  const { status, stdout } = await token('list', '--studio', studio)
  expect(status).toBe(0)
  const [headings, ...rows] = stdout.trimEnd().split('\n')
  expect(headings).toMatch(/^NAME +PREFIX +ISSUED BY +SCOPED TO +CREATED +LAST USED +REVOKED +EXPIRES +ADDRESSES +ID$/)
  const row = rows.find((line) => line.startsWith('Scoped'))
  expect(row).toContain(`${secret.slice(0, 15)} `)
  expect(row).toMatch(/ada@works\.example +mem@works\.example +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC +Never used +- /)
  expect(stdout).not.toContain(secret)
  const columns = rows.map((line) => line.indexOf(' UTC'))
  expect(new Set(columns).size).toBe(1)

  expect((await list()).find(({ name }: { name: string }) => name === 'Scoped')).toMatchObject({
    prefix: secret.slice(0, 15),
    issued_by: 'ada@works.example',
    scoped_to: 'mem@works.example',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    last_used_at: null,
    revoked_at: null,
  })
})

test('revoke takes id, prefix or name, refuses the token at once, and again gives the same record', async () => {
  const secret = (await create('Lost')).stdout.trim()
  expect(await statusOf(secret)).toBe(200)
  const first = await token('revoke', '--studio', studio, secret.slice(0, 15))
  expect(first.stdout).toMatch(/^Revoked: Lost \(svc_studio_....…\), \d{4}-.* UTC\n$/)
  expect(await statusOf(secret)).toBe(401)
  const again = await token('revoke', '--studio', studio, 'Lost', '--by', 'ada@works.example')
  expect(again.stdout).toBe(first.stdout)
})

const named = ['create', '--studio', studio, '--name']
test.each([
  [['list', '--studio', 'Nowhere'], /there is no studio 'Nowhere'\n.*studio-inventory studio list/],
  [['list', '--studio', 'twin'], /several studios are named 'twin'\nGive the id: /],
  [[...named, ''], 'a name of 1 to 100 characters'],
  [[...named, 'x', '--issuer', 'mem@works.example'], 'owner or admin'],
  [[...named, 'x', '--scope-to', 'tri@works.example'], 'not a current member'],
  [['revoke', '--studio', studio, 'No such'], /no such token\n.*token list/],
  [[...named, 'x', '--expires', 'tomorrow'], 'Write a day such as 2027-01-31'],
  [[...named, 'x', '--expires', '2027-02-30'], 'Write a day such as 2027-01-31'],
  [[...named, 'x', '--address', 'office'], "'office' is not a valid IP address"],
  [[...named, 'x', '--expires', '2020-01-01'], 'the end of a token must be in the future'],
])('refuses in words, without a stack, and makes nothing: %j', async (args, says) => {
  const count = () => cli.told('select count(*) from access.tokens')
  const before = await count()
  expectRefused(await token(...args), says)
  expect(await count()).toEqual(before)
})

test('a token can end and be limited to addresses, and list shows both', async () => {
  const addresses = ['--address', '203.0.113.9/24', '--address', '2001:db8::1']
  const made = await create('Limited', '--expires', '2199-01-31', '--json', ...addresses)
  expect(JSON.parse(made.stdout)).toMatchObject({
    expires_at: '2199-02-01T00:00:00.000Z',
    addresses: ['203.0.113.0/24', '2001:db8::1'],
  })
  expect(await statusOf(JSON.parse(made.stdout).token)).toBe(401)
  const until = await create('Until', '--expires', '2199-01-31T18:00+01:00')
  expect(await statusOf(until.stdout.trim())).toBe(200)

  expect((await list()).find(({ name }: { name: string }) => name === 'Until')).toMatchObject({
    expires_at: '2199-01-31T17:00:00.000Z',
    expired: false,
    addresses: null,
  })
  const table = (await token('list', '--studio', studio)).stdout
  expect(table).toMatch(/^Limited .*2199-02-01 00:00:00 UTC +203\.0\.113\.0\/24 2001:db8::1/m)
})
