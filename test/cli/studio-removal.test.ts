import { readFile, writeFile } from 'node:fs/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { asAdmin, withClient } from '../support/server.ts'
import { useCli } from './here.ts'

const cli = useCli()
let count = 0
let [studio, owner]: string[] = []
beforeEach(async () => {
  count += 1
  studio = (await run('create', `Removal ${count}`, '--owner-email', `ona${count}@gone.example`)).stdout.trim()
  owner = (await rows('select user_id as v from access.members where studio_id = $1', [studio]))[0]
})

const command = (...args: string[]) => cli.run(...args)
const run = (...args: string[]) => command('studio', ...args)
const remove = (...args: string[]) => run('remove', studio ?? '', '--yes', ...args)
/** The column v. */
const rows = async (text: string, values: unknown[] = []): Promise<string[]> =>
  (await cli.told(text, values)).map(({ v }) => v)

/** An item with these photos. */
async function addPhotos(...keys: string[]): Promise<void> {
  await asAdmin(cli.database, async (admin) => {
    await admin.query('begin')
    await admin.query(`select set_config('studio.id', $1, true)`, [studio])
    await admin.query(
      `with item as (insert into app.items (studio_id, name) values ($1, 'Lamp') returning id)
       insert into app.item_photos (studio_id, item_id, storage_key, position)
       select $1, item.id, photo.key, photo.place from item, unnest($2::text[]) with ordinality as photo (key, place)`,
      [studio, keys],
    )
    await admin.query('commit')
  })
}

async function createAnalyst(): Promise<{ login: string; url: string }> {
  return JSON.parse((await command('analyst', 'create', '--studio', studio ?? '', '--json')).stdout)
}
const exists = async (login: string) =>
  (await rows('select rolname as v from pg_roles where rolname = $1', [login])).length > 0

describe('the logins of analysts', () => {
  test('keep working when a person other than an owner asks for the removal', async () => {
    await command('member', 'add', `adam${count}@gone.example`, '--studio', studio ?? '', '--role', 'admin')
    const { login, url } = await createAnalyst()
    const file = cli.at('refused.txt')
    const refused = await remove('--by', `adam${count}@gone.example`, '--photo-keys', file)
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('only an owner of the studio') })
    await withClient(url, async (client) => expect((await client.query('select from account')).rowCount).toBe(1))
    expect(await readFile(file, 'utf8')).toBe('')
    await command('analyst', 'drop', login)
  })

  test('are dropped; one that cannot be is named with the reason', async () => {
    const [kept, dropped] = [await createAnalyst(), await createAnalyst()]
    await asAdmin(cli.database, (admin) =>
      admin.query(`create table kept_${count} (); alter table kept_${count} owner to ${kept.login}`),
    )
    const { status, stderr } = await remove()
    expect(status).toBe(0)
    expect(stderr).toContain(`${kept.login} sees nothing and cannot log in, but the role still exists: `)
    expect(stderr).toContain(`kept_${count}`)
    expect(stderr).not.toContain(dropped.login)
    expect([await exists(kept.login), await exists(dropped.login)]).toEqual([true, false])
    await asAdmin(cli.database, (admin) => admin.query(`drop table kept_${count}; drop role ${kept.login}`))
  })

  test('are not made for a studio that is archived', async () => {
    await run('archive', studio ?? '', '--yes')
    const refused = await command('analyst', 'create', '--studio', studio ?? '')
    expect(refused).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('the studio is archived') })
  })
})

test('a removal that has begun is not undone', async () => {
  await asAdmin(cli.database, (admin) => admin.query('select access.begin_removal($1, $2)', [studio, owner]))
  const undone = await run('archive', studio ?? '', '--undo')
  expect(undone).toMatchObject({ status: 1, stderr: expect.stringContaining('the studio is being removed') })
  expect((await remove()).status).toBe(0)
})

describe('the file of --photo-keys', () => {
  const linesOf = async (file: string) => (await readFile(file, 'utf8')).split('\n').filter(Boolean).toSorted()

  test('is completed when an interrupted removal goes on', async () => {
    const file = cli.at('interrupted.txt')
    await addPhotos('a.jpg', 'b.jpg')
    await writeFile(file, 'removed-before.jpg\na.jpg\n')
    await asAdmin(cli.database, (admin) => admin.query('select access.begin_removal($1, $2)', [studio, owner]))
    const { status, stdout } = await remove('--photo-keys', file, '--json')
    expect({ status, photos: JSON.parse(stdout).photos }).toEqual({ status: 0, photos: 3 })
    expect(await linesOf(file)).toEqual(['a.jpg', 'b.jpg', 'removed-before.jpg'])
  })

  test('has the photos that were added until the removal began', async () => {
    const file = cli.at('late.txt')
    await addPhotos('early.jpg')
    await asAdmin(cli.database, async (managing) => {
      await managing.query('begin')
      await managing.query('select from access.members where studio_id = $1 for no key update', [studio])
      const removed = remove('--photo-keys', file)
      const waits = `select 1 as v from pg_stat_activity where query like '%begin_removal%' and wait_event_type = 'Lock'`
      await expect.poll(() => rows(waits), { timeout: 30_000 }).toHaveLength(1)
      await addPhotos('late.jpg')
      await managing.query('commit')
      expect((await removed).status).toBe(0)
    })
    expect(await linesOf(file)).toEqual(['early.jpg', 'late.jpg'])
  })
})
