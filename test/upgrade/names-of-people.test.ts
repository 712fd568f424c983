import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { databaseUrl, testSecretKey, withClient } from '../support/server.ts'

const migrations = join(import.meta.dirname, '../../migrations')
const log = makeLogger({ level: 'silent' })
const { adminUrl, run } = inject('testServer')
const name = `${run}_names`
const url = databaseUrl(adminUrl, name)
let folder: string

/** A database as it was when people had one name for all studios. */
beforeAll(async () => {
  await withClient(adminUrl, (admin) => admin.query(`create database ${name}`))
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-names-'))
  await cp(join(migrations, 'committed'), join(folder, 'committed'), { recursive: true })
  const files = (await readdir(join(folder, 'committed'))).toSorted()
  const first = files.findIndex((file) => file.includes('keep-the-names-of-people'))
  for (const file of files.slice(first)) await rm(join(folder, 'committed', file))
  await migrate(url, testSecretKey, log, folder)
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await withClient(adminUrl, (admin) => admin.query(`drop database if exists ${name} with (force)`))
})

it('people keep the names that their studios were shown, and their e-mails in small letters', async () => {
  await withClient(url, async (admin) => {
    await admin.query(`set role studio_owner`)
    const studio = await admin.query(`select access.create_studio('Attic', 'Olga@attic.example', 'Olga') as id`)
    const { id } = studio.rows[0]
    await admin.query(`select access.add_member($1, 'mia@attic.example', '', 'member')`, [id])
    const list = `select name, email from access.list_members('${id}')`
    expect((await admin.query(list)).rows).toEqual([
      { name: 'mia@attic.example', email: 'mia@attic.example' },
      { name: 'Olga', email: 'Olga@attic.example' },
    ])
    await migrate(url, testSecretKey, log)
    expect((await admin.query(list)).rows).toEqual([
      { name: 'mia@attic.example', email: 'mia@attic.example' },
      { name: 'Olga', email: 'olga@attic.example' },
    ])
  })
})
