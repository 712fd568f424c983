import { beforeEach, describe, expect, test } from 'vitest'
import { createToken } from '../support/cast.ts'
import { expectRefused, useCli } from './here.ts'

const cli = useCli()
let studio: string
let count = 0

beforeEach(async () => {
  count += 1
  studio = await cli.newStudio(`Member Works ${count}`, `ona${count}@works.example`, '--owner-name', 'Ona')
})

const member = (action: string, ...args: string[]) => cli.run('member', action, '--studio', studio, ...args)
const list = () => cli.json('member', 'list', '--studio', studio)
const idOf = async (email: string) => (await list()).find((each: { email: string }) => each.email === email)?.id
const log = async () => {
  const text = `select l.event, u.email as by, m.email as about, l.detail from access.audit_log l
    join access.users u on u.id = l.actor_user_id left join access.users m on m.id = l.member_user_id
    where l.studio_id = $1 order by l.id`
  return (await cli.told(text, [studio])).map(({ event, by, about, detail }) => [event, by, about, detail])
}

test('a new member is listed with their role, and the audit log says who added them', async () => {
  const owner = `ona${count}@works.example`
  const added = await member('add', 'mia@works.example', '--name', 'Mia', '--role', 'admin')
  expect(added).toEqual({ status: 0, stdout: 'Added: mia@works.example (admin)\n', stderr: '' })
  await member('add', 'tom@works.example', '--by', 'MIA@works.example')
  expect((await list()).map(({ name, email, role }: Record<string, string>) => [name, email, role])).toEqual([
    ['Mia', 'mia@works.example', 'admin'],
    ['Ona', owner, 'owner'],
    ['tom@works.example', 'tom@works.example', 'member'],
  ])
  expect((await member('list')).stdout).toMatch(/^NAME +E-MAIL +ROLE +SINCE +TOKENS +SCOPED +ANALYST LOGINS\nMia +mia@/)
  expect(await log()).toEqual([
    ['member.added', owner, 'mia@works.example', 'admin'],
    ['member.added', 'mia@works.example', 'tom@works.example', 'member'],
  ])
})

test('a role is changed, and only a change is recorded', async () => {
  await member('add', 'mia@works.example')
  for (const _ of [1, 2]) expect((await member('role', 'mia@works.example', 'owner')).status).toBe(0)
  expect((await log()).slice(1)).toEqual([
    ['member.role_changed', `ona${count}@works.example`, 'mia@works.example', 'member → owner'],
  ])
})

test('a removal says before what it does, and without a terminal needs --yes', async () => {
  await member('add', 'mia@works.example', '--role', 'admin', '--name', 'Mia')
  const [owner, mia] = [await idOf(`ona${count}@works.example`), await idOf('mia@works.example')]
  await createToken(cli.database, studio, mia, 'Hers')
  await createToken(cli.database, studio, mia, 'Hers, scoped to herself', mia)
  await createToken(cli.database, studio, mia, 'For the owner', owner)
  await createToken(cli.database, studio, owner, 'For her', mia)

  expectRefused(
    await member('remove', 'mia@works.example'),
    'Mia loses access to the studio immediately. 2 tokens that act as Mia will be revoked. ' +
      '1 token of others scoped to Mia will act as its issuer. Nothing was changed.\n' +
      'Without a terminal, confirm it with --yes.',
  )
  expect(await idOf('mia@works.example')).toBe(mia)

  const done = await cli.json('member', 'remove', '--studio', studio, 'mia@works.example', '--yes')
  expect(done).toEqual({ id: mia, email: 'mia@works.example', revoked_tokens: 2 })
  const tokens = await cli.json('token', 'list', '--studio', studio)
  const revoked = tokens.filter(({ revoked_at }: { revoked_at: string | null }) => revoked_at !== null)
  expect(revoked.map(({ name }: { name: string }) => name).toSorted()).toEqual(['Hers', 'Hers, scoped to herself'])
  expect((await log()).slice(-1)).toEqual([
    ['member.removed', `ona${count}@works.example`, 'mia@works.example', 'admin'],
  ])
})

describe('is refused, with what would be right:', () => {
  const mia = 'mia@works.example'
  beforeEach(() => member('add', mia, '--role', 'admin'))

  test.each<[what: string, args: (owner: string) => [string, ...string[]], why: string]>([
    ['removing the last owner', (owner) => ['remove', owner, '--yes'], 'the last owner of a studio can neither'],
    ['an admin who makes an owner', () => ['role', mia, 'owner', '--by', mia], 'or make, change or remove an owner'],
    ['somebody who is a member', () => ['add', mia.toUpperCase()], 'is a member of the studio already'],
    ['an e-mail with a typing error', () => ['role', 'mai@works.example', 'admin'], `did you mean '${mia}'?`],
    ['what is no e-mail', () => ['add', 'mia'], 'an e-mail is written like mia@studio.example'],
  ])('%s', async (_what, args, why) => {
    const before = await list()
    expectRefused(await member(...args(`ona${count}@works.example`)), why)
    expect(await list()).toEqual(before)
  })
})
