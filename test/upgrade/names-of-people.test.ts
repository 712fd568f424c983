import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/server.ts'

const migrations = join(import.meta.dirname, '../../migrations/committed')

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

it('people keep the names that their studios were shown, and their e-mails in small letters', async () => {
  const file = (await readdir(migrations)).find((name) => name.includes('keep-the-names-of-people')) ?? ''
  const migration = await readFile(join(migrations, file), 'utf8')
  await asAdmin(database, async (admin) => {
    const { rows } = await admin.query(`select access.create_studio('Attic', 'olga@attic.example', 'Olga') as id`)
    const { id } = rows[0]
    await admin.query(`select access.add_member($1, 'mia@attic.example', '', 'member')`, [id])
    const list = `select name, email from access.list_members('${id}')`
    const shown = [
      { name: 'mia@attic.example', email: 'mia@attic.example' },
      { name: 'Olga', email: 'olga@attic.example' },
    ]
    expect((await admin.query(list)).rows).toEqual(shown)
    // As it was when a person had one name for all studios.
    await admin.query(`
      set role studio_owner;
      drop function access.display_name(access.users, access.members) cascade;
      alter table access.members drop column name;
      create function access.display_name(access.users) returns text language sql return $1.name;
      update access.users set name = 'Olga', email = 'Olga@attic.example' where email = 'olga@attic.example';
      reset role`)
    await admin.query(`begin; ${migration}; commit`)
    expect((await admin.query(list)).rows).toEqual(shown)
  })
})
