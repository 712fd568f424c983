import { beforeEach, describe, expect, test } from 'vitest'
import { issue, type Session, useSql } from '../support.ts'
import { addToStudio, castPeople, leave, type People } from './people.ts'

const sql = useSql()
let people: People
beforeEach(async () => {
  people = await castPeople(sql)
})

const begin = (by = people.owner, session: Session = sql.owner, of = people.studio.id) =>
  session.rows('select access.begin_removal($1, $2)', [of, by])
/** Removes all rows of a studio whose removal has begun. */
async function finish(of = people.studio.id, session: Session = sql.owner): Promise<void> {
  while ((await session.value<number>('select access.remove_rows($1)::int', [of])) > 0) {}
}
const emailOf = (user: string) => sql.admin.value('select max(email) from access.users where id = $1', [user])
const forgotten = (user: string) => [null, `${user}@removed.invalid`]
const entries = () =>
  sql.admin.value<number>(
    `select count(*)::int from access.audit_log where studio_id = $1 and event = 'studio.removed'`,
    [people.studio.id],
  )

/** Two sessions of the owner's, the first one in a transaction. */
async function twoSessions(): Promise<[first: Session, second: Session]> {
  const [first, second] = [await sql.connect('studio_owner'), await sql.connect('studio_owner')]
  await first.rows('begin')
  return [first, second]
}

describe('the beginning of a removal', () => {
  test.each(['admin', 'member', 'outsider'] as const)('is not for the %s', async (who) => {
    await expect(begin(people[who])).rejects.toMatchObject({ code: '42501' })
    expect(await entries()).toBe(0)
  })

  test('is recorded once, also when two begin at the same moment', async () => {
    const [first, second] = await twoSessions()
    await begin(people.owner, first)
    const other = begin(people.owner, second)
    await sql.blocked(second)
    await first.rows('commit')
    await other
    expect(await entries()).toBe(1)
  })

  test('is final: the studio is not brought back, renamed, or given other people', async () => {
    await begin()
    const { studio, owner, member } = people
    const attempts = {
      restore: () => sql.owner.rows('select access.archive_studio($1, false, $2)', [studio.id, owner]),
      archive: () => sql.owner.rows('select access.archive_studio($1, true, $2)', [studio.id, owner]),
      rename: () => sql.owner.rows('select access.rename_studio($1, $2, $3)', [studio.id, 'New', owner]),
      admit: () =>
        sql.owner.rows(`select access.admit_member($1, 'new@example.com', '', 'member', $2)`, [studio.id, owner]),
      promote: () => sql.owner.rows(`select access.change_role($1, $2, 'admin', $3)`, [studio.id, member, owner]),
      dismiss: () => sql.owner.rows('select access.dismiss_member($1, $2, $3)', [studio.id, member, owner]),
      unarchive: () =>
        sql.owner.rows('update access.subscriptions set archived_at = null where studio_id = $1', [studio.id]),
    }
    for (const [what, attempt] of Object.entries(attempts)) {
      await expect(attempt(), what).rejects.toMatchObject({ code: 'SI409', message: 'the studio is being removed' })
    }
    await expect(issue(sql, { studio: studio.id, issuer: owner })).rejects.toMatchObject({ code: 'SI402' })
  })
})

describe('of the people of a removed studio', () => {
  test('those whom the log of another studio names stay there, until it is removed too', async () => {
    const email = await emailOf(people.admin)
    await addToStudio(sql, people.elsewhere, people.admin)
    await issue(sql, { studio: people.elsewhere.id, issuer: people.admin })
    await leave(sql, people.elsewhere, people.admin)
    await begin()
    await finish()
    expect(await emailOf(people.admin)).toBe(email)
    await begin(people.elsewhere.owner, sql.owner, people.elsewhere.id)
    await finish(people.elsewhere.id)
    expect(forgotten(people.admin)).toContain(await emailOf(people.admin))
  })

  test('a person who joins another studio at the same moment stays', async () => {
    const email = await emailOf(people.member)
    await begin()
    const [adding, removing] = await twoSessions()
    await adding.rows(`select access.add_member($1, $2, '', 'member')`, [people.elsewhere.id, email])
    const removed = finish(people.studio.id, removing)
    await sql.blocked(removing)
    await adding.rows('commit')
    await removed
    expect(await emailOf(people.member)).toBe(email)
  })
})

test('two studios are both created when the id of the second meets the hash of the first', async () => {
  const [one, two] = ['49c0257f-1723-4786-8d9a-e71218ef12d1', '1e0377c9-1ad4-481a-9f45-c606b3a2090c']
  const hashes = 'select count(distinct uuid_hash(id) >> 1)::int from unnest($1::uuid[]) as id'
  expect(await sql.admin.value(hashes, [[one, two]])).toBe(1)
  await sql.admin.rows(`insert into app.studios (id, name) values ($1, 'First')`, [one])
  await sql.admin.rows('create sequence app.tries; grant usage on sequence app.tries to studio_owner')
  await sql.admin.rows(
    `alter table app.studios alter column id
       set default (case when nextval('app.tries') = 1 then '${two}'::uuid else gen_random_uuid() end)`,
  )
  const id = await sql.owner.value<string>(`select access.create_studio('Second', 'second@example.com', 'Sam')`)
  expect(id).not.toBe(two)
  expect(await sql.admin.value('select last_value from app.tries')).toBe('2')
  expect(await sql.admin.value('select count(*)::integer from app.locations where studio_id = $1', [id])).toBe(1)
  await sql.admin.rows('alter table app.studios alter column id set default gen_random_uuid()')
})
