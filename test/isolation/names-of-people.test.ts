import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { signIn } from '../sql/access/people.ts'
import { issue, type Session, type Studio, useSql } from '../sql/support.ts'

const sql = useSql()
let console: Session
let a: Studio
let b: Studio
let email: string

beforeAll(async () => {
  console = await sql.connect('studio_console')
})
beforeEach(async () => {
  a = await sql.studio()
  b = await sql.studio()
  email = `ceo-${randomUUID()}@b.example`
})

/** Adds the person to a studio in the name of its owner; their user id. */
const admit = (studio: Studio, name: string) =>
  sql.owner.value('select access.admit_member($1, $2, $3, $4, $5)', [
    ...[studio.id, email, name, 'admin', studio.owner],
  ])

const act = (studio: Studio, call: string, ...values: unknown[]) =>
  sql.owner.rows(`select access.${call}`, [studio.id, ...values])

/** Everything that the console and the command line show an owner about the people of a studio. */
async function seenBy(studio: Studio): Promise<string> {
  const address = await sql.admin.value('select email from access.users where id = $1', [studio.owner])
  const session = await signIn(console, address)
  const seen: unknown[] = []
  for (const list of ['list_members', 'list_tokens', 'list_audit_log']) {
    seen.push(await console.rows(`select * from console.${list}($1, $2)`, [session, studio.id]))
  }
  for (const list of ['list_members', 'list_tokens']) {
    seen.push(await sql.owner.rows(`select * from access.${list}($1)`, [studio.id]))
  }
  return JSON.stringify(seen)
}

/** Issues a token of the person, and one of the owner's that is scoped to the person. */
async function issueTokens({ id, owner }: Studio, person: string): Promise<void> {
  await issue(sql, { studio: id, issuer: person })
  await issue(sql, { studio: id, issuer: owner, scope: person })
}

test('each studio sees a person under the name that it typed itself', async () => {
  const person = await admit(a, 'Typed by Attic')
  await admit(b, 'Cleo of Barn')
  for (const studio of [a, b]) await issueTokens(studio, person)
  expect(await seenBy(a)).toContain('Typed by Attic')
  expect(await seenBy(a)).not.toContain('Cleo')
  expect(await seenBy(b)).toContain('Cleo of Barn')
  expect(await seenBy(b)).not.toContain('Attic')
})

test('nothing that a studio does with a person changes what another studio is shown', async () => {
  const person = await admit(b, 'Cleo of Barn')
  await issueTokens(b, person)
  const before = await seenBy(b)
  await admit(a, 'Typed by Attic')
  expect(await seenBy(b)).toBe(before)
  await issueTokens(a, person)
  await act(a, 'change_role($1, $2, $3, $4)', person, 'owner', a.owner)
  await act(a, 'dismiss_member($1, $2, $3)', person, a.owner)
  await admit(a, 'Typed again by Attic')
  await act(a, 'begin_removal($1, $2)', a.owner)
  for (let removed = 1; removed > 0; ) {
    removed = await sql.owner.value<number>('select access.remove_rows($1)::int', [a.id])
  }
  expect(await seenBy(b)).toBe(before)
})
