import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { databaseUrl, testSecretKey, withClient } from '../support/server.ts'
import { nextRelease } from './release.ts'

/** The newest migration that may rewrite tables: 000013 had to, to close a leak, and nothing had been released before it. */
const first = '000013'

const log = makeLogger({ level: 'silent' })
const folders: string[] = []
const { adminUrl, run } = inject('testServer')
const name = `${run}_rewrite`
const url = databaseUrl(adminUrl, name)

beforeAll(async () => {
  await withClient(adminUrl, (admin) => admin.query(`create database ${name}`))
  const folder = await nextRelease('')
  folders.push(folder)
  for (const file of await readdir(join(folder, 'committed'))) {
    if (file.slice(0, 6) > first) await rm(join(folder, 'committed', file))
  }
  await migrate(url, testSecretKey, log, folder)
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

it('no migration since then rewrites a table', async () => {
  const migrated = await migrate(url, testSecretKey, log)
  expect(migrated.every((file) => file > first)).toBe(true)
})

it('a migration that did would be noticed', async () => {
  const slow = await nextRelease('alter table app.locations add column seen_at timestamptz default clock_timestamp();')
  folders.push(slow)
  await expect(migrate(url, testSecretKey, log, slow)).rejects.toThrow('the migration rewrites app.locations')
  const quick = await nextRelease('alter table app.locations add column seen_at timestamptz default now();')
  folders.push(quick)
  expect(await migrate(url, testSecretKey, log, quick)).toEqual(['999999.sql'])
})
