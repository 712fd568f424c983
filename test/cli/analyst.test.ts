import { afterAll, beforeAll, expect, test } from 'vitest'
import { asOwner, withClient } from '../support/server.ts'
import { expectRefused, runHere, useCli } from './here.ts'
import { runCli } from './run.ts'

const cli = useCli()
const studio = `Ö'Neill "&" <Söhne>; --`
const made: string[] = []

beforeAll(async () => {
  await asOwner(cli.database, async (owner) => {
    const { rows } = await owner.query(`select access.create_studio($1, 'ona@sql.example', 'Ona') as id`, [studio])
    await owner.query(`select access.add_member($1, 'mia+o''x@sql.example', 'Mia', 'member')`, [rows[0].id])
    await owner.query(`select access.create_studio('Other', 'otto@sql.example', 'Otto')`)
  })
})

afterAll(async () => {
  for (const login of made) await cli.told(`drop role if exists "${login}"`)
})

const analyst = (...args: string[]) => cli.run('analyst', ...args)
/** Runs as a process, because only then it prints everything. */
const loudly = (...args: string[]) => runCli(['analyst', ...args], cli.env({ LOG_LEVEL: 'trace' }))

async function create(...args: string[]): Promise<{ login: string; url: string; valid_until: string }> {
  const { status, stdout, stderr } = await analyst('create', '--studio', studio, '--json', ...args)
  expect({ status, stderr }).toMatchObject({ status: 0 })
  const issued = JSON.parse(stdout)
  made.push(issued.login)
  return issued
}

const nameOf = (url: string) =>
  withClient(url, async (client) => (await client.query('select name from account')).rows.map(({ name }) => name))

test('create prints a connection string that works as the only line of standard output, and its password nowhere else', async () => {
  const { status, stdout, stderr } = await loudly('create', '--studio', studio)
  expect(status).toBe(0)
  const admin = new URL(cli.database.adminUrl)
  expect(stdout).toMatch(/^postgresql:\/\/analyst_[0-9a-f]{12}:[\w-]{32}@\S+\n$/)
  const url = new URL(stdout.trim())
  made.push(url.username)
  expect([url.host, url.pathname]).toEqual([admin.host, admin.pathname])
  expect(stderr).not.toContain(url.password)
  expect(stderr).toContain(`Valid until `)
  expect(stderr).toContain(`analyst drop ${url.username}`)
  // Other databases that the login could wander into, and what closes them.
  expect(stderr).toMatch(
    /It may also connect to .*postgres.*To close them: revoke connect on database .*"postgres".* from public;/,
  )
  expect(await nameOf(stdout.trim())).toEqual([studio])
})

test('what a login is bound by is what was said', async () => {
  const { login, url, valid_until } = await create(
    ...['--for', `MIA+o'x@sql.example`, '--valid-days', '7', '--connections', '2', '--timeout', '15'],
  )
  expect(valid_until).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(Math.round((Date.parse(valid_until) - Date.now()) / 86_400_000)).toBe(7)
  const listed = await cli.json('analyst', 'list', '--studio', studio)
  expect(listed.find((row: { login: string }) => row.login === login)).toEqual({
    login,
    studio,
    for: `mia+o'x@sql.example`,
    state: 'active',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    created_by: new URL(cli.database.adminUrl).username,
    valid_until,
    connections: 2,
    sessions: 0,
    timeout: 15,
  })
  await withClient(url, async (client) => {
    expect((await client.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '15s' }])
  })
})

test('list shows every state, and what was dropped when asked for all', async () => {
  const [active, expired, unmapped, dropped] = [await create(), await create(), await create(), await create()]
  await cli.told(`alter role ${expired.login} valid until '2020-01-01'`)
  await cli.told('delete from access.analyst_logins where login = $1', [unmapped.login])
  expect((await analyst('drop', dropped.login)).stdout).toBe(`Dropped: ${dropped.login}\n`)
  const states = async (...args: string[]) => {
    const rows: { login: string; state: string }[] = await cli.json('analyst', 'list', ...args)
    return [active, expired, unmapped, dropped].map(({ login }) => rows.find((row) => row.login === login)?.state)
  }
  expect(await states()).toEqual(['active', 'expired', 'unmapped', undefined])
  expect(await states('--all')).toEqual(['active', 'expired', 'unmapped', 'dropped'])
  expect(await states('--studio', 'other', '--all')).toEqual([undefined, undefined, undefined, undefined])
  const table = (await analyst('list', '--studio', studio)).stdout
  expect(table).toMatch(/^LOGIN +STUDIO +FOR +STATE +SESSIONS +TIMEOUT +VALID UNTIL +CREATED +BY\n/)
  expect(table).toMatch(new RegExp(`^${active.login} .*0 of 4 +60 s`, 'm'))
  expect((await analyst('list', '--studio', 'other')).stdout).toBe('There are no analysts.\n')
})

test('rotate prints another connection string and drop ends it; both end the open sessions and say so', async () => {
  const { login, url } = await create()
  const rotated = await withClient(url, async (client) => {
    await client.query('select 1')
    const { status, stdout, stderr } = await loudly('rotate', login, '--valid-days', '1')
    expect(status).toBe(0)
    expect(stdout).toMatch(new RegExp(`^postgresql://${login}:[\\w-]{32}@\\S+\\n$`))
    expect(stderr).toMatch(/^Ended one open session\.\nSave it now: .*\n$/)
    await expect(nameOf(url)).rejects.toMatchObject({ code: '28P01' })
    return stdout.trim()
  })
  await withClient(rotated, async (client) => {
    expect((await client.query('select name from account')).rows).toEqual([{ name: studio }])
    const dropped = await loudly('drop', login)
    expect(dropped).toEqual({ status: 0, stdout: `Dropped: ${login}\n`, stderr: 'Ended one open session.\n' })
    await expect(client.query('select 1')).rejects.toThrow()
  })
  await expect(nameOf(rotated)).rejects.toMatchObject({ code: '28P01' })
  expectRefused(await analyst('drop', login), `no analyst's login '${login}'`)
})

const wanted = ['create', '--studio', studio]
test.each([
  [['create', '--studio', 'Nowhere'], /there is no studio 'Nowhere'\n.*studio-inventory studio list/],
  [[...wanted, '--for', 'no@sql.example'], 'no user with the e-mail'],
  [[...wanted, '--for', 'otto@sql.example'], 'not a current member of the studio'],
  [[...wanted, '--valid-days', '0'], 'Give a whole number from 1 to 3650.'],
  [['drop', 'studio_owner'], /no analyst's login 'studio_owner'\n.*analyst list/],
])('refuses in words, without a stack, and makes nothing: %j', async (args, says) => {
  const logins = () => cli.told('select count(*) from access.analyst_log')
  const before = await logins()
  expectRefused(await analyst(...args), says)
  expect(await logins()).toEqual(before)
})

test('with ANALYST_DATABASE_URL the connection string names that server and asks for its certificate', async () => {
  const { hostname, port, pathname } = new URL(cli.database.adminUrl)
  const elsewhere = `postgresql://${hostname}:${port}${pathname}`
  const printed = async (env: Record<string, string>, ...args: string[]) => {
    const { stdout, stderr } = await runHere(['analyst', ...args], cli.env(env))
    const url = new URL(stdout.trim())
    if (args[0] === 'create') made.push(url.username)
    return { url, stderr }
  }
  const { url } = await printed({ ANALYST_DATABASE_URL: elsewhere }, 'create', '--studio', studio)
  expect([url.host, url.pathname, url.search]).toEqual([`${hostname}:${port}`, pathname, '?sslmode=verify-full'])
  const weak = { ANALYST_DATABASE_URL: 'postgresql://db.example.com/inventory?sslmode=require' }
  const rotated = await printed(weak, 'rotate', url.username)
  expect(rotated.url.href).toContain('@db.example.com/inventory?sslmode=require')
  expect(rotated.stderr).toContain('does not verify the server: set ANALYST_DATABASE_URL')
})
