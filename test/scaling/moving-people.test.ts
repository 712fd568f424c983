import { beforeAll, expect, test } from 'vitest'
import { createLogin } from '../../src/apps/analysts/logins.ts'
import { withClient } from '../../src/database/client.ts'
import { asAdministrator, asOwner } from '../../src/database/session.ts'
import { createClient } from '../support/client.ts'
import { endProcesses } from './processes.ts'
import { makeTwoCells, move, moveAndFinish, type TwoCells } from './two-cells.ts'

/** Who may come in moves along with a studio; the owner of both studios has the same e-mail and two ids. */
endProcesses()
let cells: TwoCells
let analyst: string
beforeAll(async () => {
  cells = await makeTwoCells()
  await asOwner(cells.one.url, (transaction) =>
    transaction.query(`select access.add_member($1, 'max@example.com', 'Max', 'member')`, [cells.studio.id]),
  )
  const issued = await asAdministrator(cells.one.url, (transaction) =>
    createLogin(transaction, cells.one.url, {
      studioId: cells.studio.id,
      userId: null,
      validDays: 1,
      connections: 1,
      timeout: 10,
    }),
  )
  analyst = issued.url
  await withClient(cells.one.url, async (admin) => {
    await admin.query(`alter role ${issued.login} set search_path = api_v1, "$user", public`)
    await admin.query(`alter role ${issued.login} set work_mem = '64MB'`)
  })
  await createClient(cells.instance.port).get('/v1/account', { token: cells.studio.token })
}, 300_000)

const people = (url: string, studioId: string) =>
  asOwner(url, (transaction) =>
    transaction.query<{ email: string; role: string; id: string }>(
      `select u.email, m.role, u.id from access.members m join access.users u on u.id = m.user_id
       where m.studio_id = $1 order by 1`,
      [studioId],
    ),
  )

const there = (url: string) => {
  const moved = new URL(url)
  moved.port = String(cells.two.server.port)
  return moved.href
}

/** How a client is answered that goes on with the removals since a moment. */
const removals = async (since: string) =>
  (await createClient(cells.instance.port).get(`/v1/removals?updated_since=${since}`, { token: cells.studio.token }))
    .status

test('members, tokens, their use, the audit log and analysts’ logins move along', async () => {
  const before = await people(cells.one.url, cells.studio.id)
  const [neighbour] = await people(cells.two.url, cells.neighbour.id)
  await expect.poll(() => uses(cells.one.url), { timeout: 30_000 }).toBeGreaterThan(0)
  const used = await uses(cells.one.url)
  const passwordOf = (url: string) => withClient(url, (client) => client.query('select name from api_v1.account'))
  expect((await passwordOf(analyst)).rows).toEqual([{ name: 'North' }])
  await expect(passwordOf(there(analyst))).rejects.toThrow()

  const [known, knownThere] = [await installed(cells.one.url), await installed(cells.two.url)]
  expect(Date.parse(known)).toBeLessThan(Date.parse(knownThere))
  expect(await removals(known)).toBe(200)
  const settings = await settingsOf(cells.one.url)

  await move(cells.one, cells.two, cells.studio.id)

  // The cell is younger than what the client knows.
  expect(await removals(known)).toBe(200)
  expect(await removals(new Date(Date.parse(known) - 1).toISOString())).toBe(410)

  const after = await people(cells.two.url, cells.studio.id)
  expect(after.map(({ email, role }) => [email, role])).toEqual(before.map(({ email, role }) => [email, role]))
  expect(after.find(({ role }) => role === 'owner')?.id).toBe(neighbour?.id)
  expect(await people(cells.one.url, cells.studio.id)).toEqual([])
  expect(await uses(cells.two.url)).toBeGreaterThanOrEqual(used)
  const issuers = await asOwner(cells.two.url, (transaction) =>
    transaction.query(
      `select t.issued_by, l.event from access.tokens t join access.audit_log l on l.token_id = t.id
       where t.studio_id = $1`,
      [cells.studio.id],
    ),
  )
  expect(issuers).toEqual([{ issued_by: neighbour?.id, event: 'token.issued' }])

  expect((await passwordOf(there(analyst))).rows).toEqual([{ name: 'North' }])
  await expect(passwordOf(analyst)).rejects.toThrow()
  expect(settings).toContain('search_path=api_v1, "$user", public')
  expect(await settingsOf(cells.two.url)).toEqual(settings.filter((setting) => setting !== 'work_mem=64MB'))
}, 300_000)

test('who was only a member of it is forgotten by the cell that it left, and known again when it comes back', async () => {
  await moveAndFinish(cells.one, cells.two, cells.studio.id)
  const known = (url: string) =>
    asOwner(url, (transaction) =>
      transaction.query(`select from access.users where email in ('max@example.com', 'nora@example.com')`),
    )
  expect(await known(cells.one.url)).toEqual([])
  await moveAndFinish(cells.two, cells.one, cells.studio.id)
  expect((await people(cells.one.url, cells.studio.id)).map(({ email }) => email)).toEqual([
    'max@example.com',
    'nora@example.com',
  ])
  expect((await people(cells.two.url, cells.neighbour.id)).map(({ email }) => email)).toEqual(['nora@example.com'])
  const client = createClient(cells.instance.port)
  for (const { token } of [cells.studio, cells.neighbour]) {
    expect((await client.get('/v1/account', { token })).status).toBe(200)
  }
}, 300_000)

/** Since when a cell knows removals of the studios that were made there. */
const installed = (url: string) =>
  asOwner(url, async (transaction) => {
    const [row] = await transaction.query<{ since: string }>(
      'select to_json(removals_since) as since from app.sync_state',
    )
    return new Date(row?.since ?? '').toISOString()
  })

const settingsOf = (url: string): Promise<string[]> =>
  withClient(url, async (admin) => {
    const { rows } = await admin.query(
      'select unnest(setconfig) as setting from pg_db_role_setting s join pg_roles r on r.oid = s.setrole where r.rolname = $1',
      [new URL(analyst).username],
    )
    return rows.map(({ setting }) => setting)
  })

const uses = (url: string) =>
  asOwner(url, async (transaction) => {
    const [row] = await transaction.query<{ uses: number }>(
      `select count(*)::int as uses from access.request_activity a
       join access.tokens t on t.id = a.token_id and t.last_used_at >= a.at where a.studio_id = $1`,
      [cells.studio.id],
    )
    return row?.uses ?? 0
  })
