import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { asAdmin, asOwner, asRole } from '../support/server.ts'
import { useCli } from './here.ts'
import { runCli } from './run.ts'

const cli = useCli()
const studio = 'Token Works'

beforeAll(async () => {
  await asOwner(cli.database, async (owner) => {
    const made = await owner.query(`select access.create_studio($1, 'ona@works.example', 'Ona') as id`, [studio])
    for (const [email, role] of [
      ['ada@works.example', 'admin'],
      ['mem@works.example', 'member'],
    ]) {
      await owner.query('select access.add_member($1, $2, $3, $4)', [made.rows[0].id, email, email, role])
    }
    await owner.query(`select access.create_studio('Trial Works', 'tri@works.example', 'Tri', 'pro')`)
    await owner.query(
      `select access.create_studio('Twin', 'a@twin.example', 'A'), access.create_studio('Twin', 'b@twin.example', 'B')`,
    )
  })
})

const token = (args: string[]) => cli.run('token', ...args)
/** As a process, which says all that it can say. */
const loudly = (args: string[]) => runCli(['token', ...args], cli.env({ LOG_LEVEL: 'trace' }))

async function statusOf(secret: string): Promise<number> {
  const digest = createHash('sha256').update(secret).digest()
  const answer = await asRole(cli.database, 'studio_api', (client) =>
    client.query('select status from api_v1.get_account($1)', [digest]),
  )
  return answer.rows[0].status
}

test('create prints a token that works as the only line of standard output, and nowhere else', async () => {
  const { status, stdout, stderr } = await loudly(['create', '--studio', 'token works', '--name', 'Accounting'])
  expect(status).toBe(0)
  expect(stdout).toMatch(/^svc_studio_[0-9A-Za-z]{32}\n$/)
  expect(await statusOf(stdout.trim())).toBe(200)
  expect(stderr).not.toContain(stdout.trim())
  const kept = await asAdmin(cli.database, (admin) =>
    admin.query('select to_json(t)::text as row from access.tokens t'),
  )
  expect(JSON.stringify(kept.rows)).not.toContain(stdout.trim().slice('svc_studio_'.length))
})

test('the segment shown follows the plan', async () => {
  const { stdout } = await token(['create', '--studio', 'Trial Works', '--name', 'Trial', '--json'])
  const made = JSON.parse(stdout)
  expect(made.token).toMatch(/^svc_pro_[0-9A-Za-z]{32}$/)
  expect(made.token.startsWith(made.prefix)).toBe(true)
})

test('list shows issuer, scope and last use, and never more of a token than its prefix', async () => {
  const made = await token([
    ...['create', '--studio', studio, '--name', 'Scoped', '--issuer', 'ada@works.example'],
    ...['--scope-to', 'MEM@works.example'],
  ])
  const secret = made.stdout.trim()
  const { status, stdout } = await token(['list', '--studio', studio])
  expect(status).toBe(0)
  const [headings, ...rows] = stdout.trimEnd().split('\n')
  expect(headings).toMatch(/^NAME +PREFIX +ISSUED BY +SCOPED TO +CREATED +LAST USED +REVOKED +EXPIRES +ADDRESSES +ID$/)
  const row = rows.find((line) => line.startsWith('Scoped'))
  expect(row).toContain(`${secret.slice(0, 15)} `)
  expect(row).toMatch(/ada@works\.example +mem@works\.example +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC +Never used +- /)
  expect(stdout).not.toContain(secret)
  const columns = rows.map((line) => line.indexOf(' UTC'))
  expect(new Set(columns).size).toBe(1)

  const json = JSON.parse((await token(['list', '--studio', studio, '--json'])).stdout)
  expect(json.find((token: { name: string }) => token.name === 'Scoped')).toMatchObject({
    prefix: secret.slice(0, 15),
    issued_by: 'ada@works.example',
    scoped_to: 'mem@works.example',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    last_used_at: null,
    revoked_at: null,
  })
})

test('revoke takes id, prefix or name, refuses the token at once, and again gives the same record', async () => {
  const secret = (await token(['create', '--studio', studio, '--name', 'Lost'])).stdout.trim()
  expect(await statusOf(secret)).toBe(200)
  const first = await token(['revoke', '--studio', studio, secret.slice(0, 15)])
  expect(first.stdout).toMatch(/^Revoked: Lost \(svc_studio_....…\), \d{4}-.* UTC\n$/)
  expect(await statusOf(secret)).toBe(401)
  const again = await token(['revoke', '--studio', studio, 'Lost', '--by', 'ada@works.example'])
  expect(again.stdout).toBe(first.stdout)
})

test('activity shows the last requests, newest first', async () => {
  const request = randomUUID()
  const made = await token(['create', '--studio', studio, '--name', 'Watched', '--json'])
  const { id } = JSON.parse(made.stdout)
  expect(await token(['activity', '--studio', studio, 'Watched'])).toMatchObject({ stdout: 'Never used.\n' })
  await asRole(cli.database, 'studio_recorder', (client) =>
    client.query(
      `select access.record_activity(array[$1, $1]::uuid[],
         '{2026-01-02T03:04:05Z,2026-01-02T03:04:06Z}', '{GET /v1/items,GET /v1/account}', '{200,429}', '{12.34,0.5}',
         array[$2, null]::uuid[], array[$3, null]::jsonb[])`,
      [id, request, JSON.stringify({ query: 'q=u87', ignored: ['x'], address: '192.0.2.1', agent: 'curl', bytes: 9 })],
    ),
  )
  const { stdout } = await token(['activity', '--studio', studio, id])
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^TIME +ENDPOINT +PARAMETERS +IGNORED +STATUS +OUTCOME +MS +ADDRESS +CLIENT +REQUEST$/),
    expect.stringMatching(/^2026-01-02 03:04:06 UTC +GET \/v1\/account +\S +\S +429 +rate_limited +0\.5 +\S +\S +\S$/),
    expect.stringMatching(/^2026-01-02 03:04:05 UTC +GET \/v1\/items +q=u87 +x +200 +ok +12\.3 +192\.0\.2\.1 +curl /),
  ])
  const one = await token(['activity', '--studio', studio, '--request', request.toUpperCase(), '--json'])
  expect(JSON.parse(one.stdout)).toMatchObject([{ request_id: request, outcome: 'ok', parameters: 'q=u87', bytes: 9 }])
  const none = await token(['activity', '--studio', studio, '--request', randomUUID()])
  expect(none.stdout).toBe('There is no request with this id.\n')
})

test.each([
  { args: ['list', '--studio', 'Nowhere'], says: /there is no studio 'Nowhere'\n.*studio-inventory studio list/ },
  { args: ['list', '--studio', 'twin'], says: /several studios are named 'twin'\nGive the id: / },
  { args: ['create', '--studio', studio, '--name', ''], says: /a name of 1 to 100 characters/ },
  { args: ['create', '--studio', studio, '--name', 'x', '--issuer', 'mem@works.example'], says: /owner or admin/ },
  {
    args: ['create', '--studio', studio, '--name', 'x', '--scope-to', 'tri@works.example'],
    says: /not a current member/,
  },
  { args: ['revoke', '--studio', studio, 'No such'], says: /no such token\n.*token list/ },
])('refuses in words, without a stack, and makes nothing: $args', async ({ args, says }) => {
  const count = () => asAdmin(cli.database, (admin) => admin.query('select count(*) from access.tokens'))
  const before = await count()
  const { status, stdout, stderr } = await token(args)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(says)
  expect(stderr).not.toMatch(/^\s+at /m)
  expect((await count()).rows).toEqual(before.rows)
})

test('a token can end and be limited to addresses, and list shows both', async () => {
  const made = await token([
    ...['create', '--studio', studio, '--name', 'Limited', '--expires', '2199-01-31', '--json'],
    ...['--address', '203.0.113.9/24', '--address', '2001:db8::1'],
  ])
  expect(JSON.parse(made.stdout)).toMatchObject({
    expires_at: '2199-02-01T00:00:00.000Z',
    addresses: ['203.0.113.0/24', '2001:db8::1'],
  })
  expect(await statusOf(JSON.parse(made.stdout).token)).toBe(401)
  const until = await token(['create', '--studio', studio, '--name', 'Until', '--expires', '2199-01-31T18:00+01:00'])
  expect(await statusOf(until.stdout.trim())).toBe(200)

  const listed = JSON.parse((await token(['list', '--studio', studio, '--json'])).stdout)
  expect(listed.find(({ name }: { name: string }) => name === 'Until')).toMatchObject({
    expires_at: '2199-01-31T17:00:00.000Z',
    expired: false,
    addresses: null,
  })
  const table = (await token(['list', '--studio', studio])).stdout
  expect(table).toMatch(/^Limited .*2199-02-01 00:00:00 UTC +203\.0\.113\.0\/24 2001:db8::1/m)
})

test.each([
  ['--expires', 'tomorrow', 'Write a day such as 2027-01-31'],
  ['--expires', '2027-02-30', 'Write a day such as 2027-01-31'],
  ['--address', 'office', "'office' is not a valid IP address"],
  ['--expires', '2020-01-01', 'the end of a token must be in the future'],
])('%s %s is refused, and no token is created', async (option, value, why) => {
  const { status, stdout, stderr } = await token(['create', '--studio', studio, '--name', 'Refused', option, value])
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toContain(why)
  expect((await token(['list', '--studio', studio])).stdout).not.toContain('Refused')
})
