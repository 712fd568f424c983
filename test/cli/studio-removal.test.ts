import { readFile } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { digestOf } from '../../src/auth/token.ts'
import { createToken } from '../support/cast.ts'
import { asAdmin, asRole, withClient } from '../support/server.ts'
import { expectRefused, useCli } from './here.ts'

const cli = useCli()
let count = 0
let [name, studio, owner]: [string, string, string] = ['', '', '']
beforeEach(async () => {
  count += 1
  name = `Removal ${count}`
  studio = await cli.newStudio(name, `ona${count}@gone.example`, '--owner-name', 'Ona')
  owner = (await rows('select user_id as v from access.members where studio_id = $1', [studio]))[0] ?? ''
})

const { run } = cli
const remove = (...args: string[]) => run('studio', 'remove', name, ...args)
const removeNow = (...args: string[]) => remove('--yes', ...args)
/** Reads the column v. */
const rows = async (text: string, values: unknown[] = []): Promise<string[]> =>
  (await cli.told(text, values)).map(({ v }) => v)
const isThere = async () => (await rows('select name as v from app.studios')).includes(name)
const begin = () => cli.told('select access.begin_removal($1, $2)', [studio, owner])
const linesOf = async (file: string) => (await readFile(file, 'utf8')).split('\n').filter(Boolean).toSorted()

/** What the API answers to a token. */
async function accountOf(token: string): Promise<number> {
  const text = 'select status from api_v1.get_account($1)'
  return (await asRole(cli.database, 'studio_api', (api) => api.query(text, [digestOf(token)]))).rows[0].status
}

/** An item with these photos. */
async function addPhotos(...keys: string[]): Promise<void> {
  await asStudio(
    `with item as (insert into app.items (studio_id, name) values ($1, 'Lamp') returning id)
     insert into app.item_photos (studio_id, item_id, storage_key, position)
     select $1, item.id, photo.key, photo.place from item, unnest($2::text[]) with ordinality as photo (key, place)`,
    keys,
  )
}

/** Runs a statement in the session of the studio, $1. */
async function asStudio(text: string, ...values: unknown[]): Promise<void> {
  await asAdmin(cli.database, async (admin) => {
    await admin.query(`begin; set local studio.id = '${studio}'`)
    await admin.query(text, [studio, ...values])
    await admin.query('commit')
  })
}

const createAnalyst = (): Promise<{ login: string; url: string }> => cli.json('analyst', 'create', '--studio', studio)
const exists = async (login: string) =>
  (await rows('select rolname as v from pg_roles where rolname = $1', [login])).length > 0

describe('a removal', () => {
  const before = { stdin: process.stdin, isTTY: process.stderr.isTTY }
  afterEach(() => {
    Object.defineProperty(process, 'stdin', { value: before.stdin, configurable: true })
    process.stderr.isTTY = before.isTTY
  })

  /** A person at a terminal, who types this. */
  function typing(text: string, ended = false): void {
    const input = Object.assign(new PassThrough(), { isTTY: true })
    input.write(text)
    if (ended) input.end()
    Object.defineProperty(process, 'stdin', { value: input, configurable: true })
    process.stderr.isTTY = true
  }

  test('happens when the name of the studio is typed, which is asked for after what will be gone', async () => {
    typing(`${name}\n`)
    const { status, stdout, stderr } = await remove()
    expect({ status, stdout }).toEqual({ status: 0, stdout: `Removed: ${name}\n` })
    expect(stderr).toContain(`${name} will be removed permanently: 0 items, 1 member, 0 tokens and all its other data.`)
    expect(stderr).toContain(`Type ${name} to confirm: `)
    expect(await isThere()).toBe(false)
  })

  test.each([
    ['for another name', 'Northlight\n', 1, 'Northlight is not Removal'],
    ['for nothing', '\n', 1, 'Nothing was changed.'],
    ['when the input ends', '', 1, 'Nothing was changed.'],
    ['on Ctrl-C', '\u0003', 130, 'Nothing was changed.'],
  ])('does not happen %s', async (_what, text, status, why) => {
    typing(text, text === '')
    const ended = await remove()
    expect(ended).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(why) })
    expect(ended.stderr).toContain('Nothing was changed.')
    expect(await isThere()).toBe(true)
  })

  test('without a terminal needs --yes, and leaves nothing but an audit log that names no person', async () => {
    await run('member', 'add', 'both@gone.example', '--studio', studio, '--name', 'Bo')
    await cli.newStudio(`Other ${count}`, 'both@gone.example')
    await createAnalyst()
    const { token } = await createToken(cli.database, studio, owner)
    await fill()
    const gone = `${name} will be removed permanently: 3 items, 2 members, 1 token and all its other data.`
    const refused = await remove('--json')
    expectRefused(refused, 'Without a terminal, confirm it with --yes.')
    expect(refused.stderr).toContain(gone)
    expect(await accountOf(token)).toBe(200)

    const keys = cli.at('photos.txt')
    const removed = await removeNow('--photo-keys', keys, '--json')
    expect(removed.stderr).toContain(gone)
    expect(JSON.parse(removed.stdout)).toEqual({
      ...{ studio_id: studio, name, removed_rows: expect.any(Number), photos: 3, kept_logins: [] },
    })
    expect(await linesOf(keys)).toHaveLength(3)
    expect(await accountOf(token)).toBe(401)
    expect(await leftOf()).toEqual(['access.analyst_log', 'access.audit_log'])
    expect(await isThere()).toBe(false)
    const events = 'select event as v from access.audit_log where studio_id = $1 order by id'
    expect(await rows(events, [studio])).toEqual(['member.added', 'token.issued', 'studio.removed'])
    expect(await rows('select email as v from access.users where id = $1', [owner])).toEqual([
      `${owner}@removed.invalid`,
    ])
    expect(await rows(`select email as v from access.users where email = 'both@gone.example'`)).toHaveLength(1)
    expectRefused(await removeNow(), `there is no studio '${name}'`)
  })

  test('is done in small transactions, and goes on where it was interrupted', async () => {
    await fill()
    const step = () => cli.told('select access.remove_rows($1, 1)', [studio])
    await expect(step()).rejects.toMatchObject({ code: 'SI404' })
    const { token } = await createToken(cli.database, studio, owner)
    await begin()
    expect(await accountOf(token)).toBe(403)
    for (let times = 0; times < 5; times += 1) await step()
    expect(await rows('select count(*)::int as v from app.items where studio_id = $1', [studio])).toEqual([3])
    expectRefused(await run('studio', 'archive', name, '--undo'), 'the studio is being removed')
    expect((await removeNow()).status).toBe(0)
    expect(await leftOf()).toEqual(['access.audit_log'])
  })
})

describe('the logins of analysts', () => {
  test('keep working when a person other than an owner asks for the removal', async () => {
    await run('member', 'add', `adam${count}@gone.example`, '--studio', studio, '--role', 'admin')
    const { login, url } = await createAnalyst()
    const file = cli.at('refused.txt')
    const refused = await removeNow('--by', `adam${count}@gone.example`, '--photo-keys', file)
    expectRefused(refused, 'only an owner of the studio')
    await withClient(url, async (client) => expect((await client.query('select from account')).rowCount).toBe(1))
    expect(await linesOf(file)).toEqual([])
    await run('analyst', 'drop', login)
  })

  test('are dropped; one that cannot be is named with the reason', async () => {
    const [kept, dropped] = [await createAnalyst(), await createAnalyst()]
    await cli.told(`create table kept_${count} (); alter table kept_${count} owner to ${kept.login}`)
    const { status, stderr } = await removeNow()
    expect(status).toBe(0)
    expect(stderr).toContain(`${kept.login} sees nothing and cannot log in, but the role still exists: `)
    expect(stderr).toContain(`kept_${count}`)
    expect(stderr).not.toContain(dropped.login)
    expect([await exists(kept.login), await exists(dropped.login)]).toEqual([true, false])
    await cli.told(`drop table kept_${count}; drop role ${kept.login}`)
  })

  test('are not made for a studio that is archived', async () => {
    await run('studio', 'archive', name, '--yes')
    expectRefused(await run('analyst', 'create', '--studio', studio), 'the studio is archived')
  })
})

describe('the file of --photo-keys', () => {
  test('that cannot be written removes nothing', async () => {
    expectRefused(await removeNow('--photo-keys', cli.at('none/keys.txt')), 'cannot write ')
    expect(await isThere()).toBe(true)
  })

  test('is completed when an interrupted removal goes on', async () => {
    await addPhotos('a.jpg', 'b.jpg')
    const file = await cli.file('interrupted.txt', 'removed-before.jpg\na.jpg\n')
    await begin()
    const { status, stdout } = await removeNow('--photo-keys', file, '--json')
    expect({ status, photos: JSON.parse(stdout).photos }).toEqual({ status: 0, photos: 3 })
    expect(await linesOf(file)).toEqual(['a.jpg', 'b.jpg', 'removed-before.jpg'])
  })

  test('has the photos that were added until the removal began', async () => {
    const file = cli.at('late.txt')
    await addPhotos('early.jpg')
    await asAdmin(cli.database, async (managing) => {
      await managing.query('begin')
      await managing.query('select from access.members where studio_id = $1 for no key update', [studio])
      const removed = removeNow('--photo-keys', file)
      const waits = `select 1 as v from pg_stat_activity where query like '%begin_removal%' and wait_event_type = 'Lock'`
      await expect.poll(() => rows(waits), { timeout: 30_000 }).toHaveLength(1)
      await addPhotos('late.jpg')
      await managing.query('commit')
      expect((await removed).status).toBe(0)
    })
    expect(await linesOf(file)).toEqual(['early.jpg', 'late.jpg'])
  })
})

/** Three items with all that can belong to an item. */
const fill = () =>
  asStudio(
    `with items as (
       insert into app.items (studio_id, name, purchase_price) select $1, 'Item ' || n, 10 from generate_series(1, 3) n
       returning id),
     policy as (insert into app.policies (studio_id, name) values ($1, 'Policy') returning id),
     place as (insert into app.locations (studio_id, name) values ($1, 'Store')),
     cover as (
       insert into app.policy_assignments (studio_id, item_id, policy_id) select $1, i.id, policy.id from items i, policy),
     photos as (
       insert into app.item_photos (studio_id, item_id, storage_key) select $1, id, id || '.jpg' from items),
     market as (
       insert into app.market_values (studio_id, item_id, value, as_of) select $1, id, 5, '2026-01-01' from items)
     insert into app.maintenance_records (studio_id, item_id, title) select $1, id, 'Clean' from items`,
  )

/** The tables with a column studio_id that have a row of the studio. */
async function leftOf(): Promise<string[]> {
  const tables = await rows(
    `select a.attrelid::regclass::text as v from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attname = 'studio_id' and c.relkind = 'r' and c.relnamespace::regnamespace::text in ('app', 'access')
     order by 1`,
  )
  const found = tables.map((table) => `select '${table}' as v where exists (select from ${table} where studio_id = $1)`)
  return rows(`${found.join(' union all ')} order by 1`, [studio])
}
