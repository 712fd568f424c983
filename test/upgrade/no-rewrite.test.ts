import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { makeLogger } from '../../src/log.ts'
import { migrate } from '../../src/migration/migrate.ts'
import { databaseUrl, lockRoles, testSecretKey, withClient } from '../support/server.ts'
import { included, nextRelease } from './release.ts'

/** The last migration of the first release, from which every upgrade begins. */
const initial = '000002'

const log = makeLogger({ level: 'silent' })
const folders: string[] = []
const { adminUrl, run } = inject('testServer')
const name = `${run}_rewrite`
const url = databaseUrl(adminUrl, name)

/** A release's folder, removed after the file. */
const made = async (release: Promise<string>) => {
  const folder = await release
  folders.push(folder)
  return folder
}

beforeAll(async () => {
  await withClient(adminUrl, (admin) => admin.query(`create database ${name}`))
  const folder = await made(nextRelease())
  for (const file of await readdir(join(folder, 'committed'))) {
    if (file.slice(0, 6) > initial) await rm(join(folder, 'committed', file))
  }
  expect(await migrate(url, testSecretKey, log, folder)).toContain(`${initial}.sql`)
  // PostgreSQL fires it whenever ALTER TABLE has to rewrite a table, however few rows it has.
  await withClient(url, (admin) =>
    admin.query(`
      create function public.refuse_rewrite() returns event_trigger language plpgsql as $$
      begin
        raise 'the migration rewrites %', pg_event_trigger_table_rewrite_oid()::regclass;
      end $$;
      create event trigger refuse_rewrite on table_rewrite execute function public.refuse_rewrite()`),
  )
})
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true })
  await withClient(adminUrl, (admin) => admin.query(`drop database if exists ${name} with (force)`))
})

it('no migration after the first release rewrites a table', async () => {
  const migrated = await migrate(url, testSecretKey, log)
  expect(migrated.every((file) => file > initial)).toBe(true)
})

it('installing all rules again rewrites no table', async () => {
  const rules = await included('--!include all.sql')
  await withClient(url, (admin) => admin.query(`begin; ${lockRoles}; ${rules}; rollback`))
})
