import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signIn } from '../access/people.ts'
import { inStudio, type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let other: Studio
let console: Session
let owner: Buffer
let member: Buffer
let digest: Buffer

const emailOf = (user: string) => sql.admin.value('select email from access.users where id = $1', [user])
const keep = (session: Buffer | null, into = studio.id) =>
  console.rows('select console.keep_upload($1, $2, $3, $4, $5)', [
    session,
    into,
    Buffer.from('a,b'),
    '{"kind":"items"}',
    digest,
  ])
const read = (session: Buffer, of = studio.id, name = digest) =>
  console.rows('select * from console.read_upload($1, $2, $3)', [session, of, name])
const record = (session: Buffer, name = digest) =>
  sql.writer.value('select access.record_import($1, $2, $3)', [session, name, '{"kind":"items"}'])

beforeAll(async () => {
  studio = await sql.studio()
  other = await sql.studio()
  console = await sql.connect('studio_console')
  await sql.owner.value('select access.add_member($1, $2, $2, $3)', [studio.id, 'm@uploads.example', 'member'])
  await sql.owner.value('select access.add_member($1, $2, $2, $3)', [studio.id, 'a@uploads.example', 'admin'])
  owner = await signIn(console, await emailOf(studio.owner))
  member = await signIn(console, 'm@uploads.example')
})
beforeEach(() => {
  digest = createHash('sha256').update(randomUUID()).digest()
})

describe('an upload', () => {
  test('is read only by the person who stored it', async () => {
    await keep(owner)
    expect(await read(owner)).toEqual([{ content: Buffer.from('a,b'), choices: { kind: 'items' } }])
    expect(await read(await signIn(console, 'a@uploads.example'))).toEqual([])
    await expect(read(member)).rejects.toMatchObject({ code: '42501' })
    await expect(read(await signIn(console, await emailOf(other.owner)))).rejects.toMatchObject({ code: 'SI404' })
  })

  test.each([
    ['a member', () => member, () => studio.id, '42501'],
    ['the owner of another studio', () => owner, () => other.id, 'SI404'],
    ['nobody', () => null, () => studio.id, 'SI401'],
  ])('is not stored by %s', async (_who, session, into, code) => {
    await expect(keep(session(), into())).rejects.toMatchObject({ code })
  })
})

describe('an import is recorded in the audit log', () => {
  const inTransaction = <Result>(work: () => Promise<Result>, of = studio.id) => inStudio(sql.writer, { id: of }, work)
  const entries = () =>
    sql.admin.value(`select count(*) from access.audit_log where studio_id = $1 and event = 'import'`, [studio.id])

  test('once for each upload', async () => {
    await keep(owner)
    const before = Number(await entries())
    await inTransaction(() => record(owner))
    await expect(inTransaction(() => record(owner))).rejects.toMatchObject({ code: 'SI409' })
    expect(Number(await entries())).toBe(before + 1)
  })

  test.each([
    ['a member', () => member, () => studio.id, '42501'],
    ['the owner of another studio', () => owner, () => other.id, 'SI404'],
  ])('not for %s', async (_who, session, of, code) => {
    await keep(owner)
    await expect(inTransaction(() => record(session()), of())).rejects.toMatchObject({ code })
  })

  test('not for who does not manage the studio any more', async () => {
    await sql.owner.value('select access.add_member($1, $2, $2, $3)', [studio.id, 'left@uploads.example', 'admin'])
    const left = await signIn(console, 'left@uploads.example')
    await keep(left)
    const user = await sql.admin.value(`select id from access.users where email = 'left@uploads.example'`)
    await sql.admin.rows(`update access.members set role = 'member' where user_id = $1`, [user])
    await expect(inTransaction(() => record(left))).rejects.toMatchObject({ code: '42501' })
  })
})
