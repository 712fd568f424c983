import { rm } from 'node:fs/promises'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { asReader, runAudit } from '../../src/audit/findings.ts'
import { readSettings, unsoundSettings } from '../../src/audit/inventory.ts'
import { install } from '../../src/audit/scratch.ts'
import { makeLogger } from '../../src/log.ts'
import { migrate } from '../../src/migration/migrate.ts'
import { makeDatabase, useCluster } from '../support/cluster.ts'
import { databaseUrl, testSecretKey, withClient } from '../support/server.ts'
import { concurrentIndex, nextMigration, nextRelease } from '../upgrade/release.ts'
import { asTested } from './findings.ts'

// A DBA may have all of this next to our database.
const own = useCluster('studios')
const onServer = (text: string) => withClient(own.cluster.adminUrl, (admin) => admin.query(text))

const told = async (url: string, known = asTested) =>
  (await runAudit(url, { accept: known })).findings.map(
    ({ rule, object, finding }) => `${rule} | ${object} | ${finding}`,
  )

it('analysts made by the command, a DBA’s login, and what belongs to other databases are no findings', async () => {
  await withClient(own.url, async (admin) => {
    await admin.query('begin; set local role studio_owner')
    const { rows } = await admin.query(
      `select access.create_studio('One', 'one@example.com', 'One', 'studio', 'UTC', 'EUR') as id`,
    )
    await admin.query('reset role')
    await admin.query(
      `select access.create_analyst($1, null, 'SCRAM-SHA-256$4096:c2FsdA==$c3RvcmVk:c2VydmVy', now() + interval '90 days', 2, '5 min')`,
      [rows[0].id],
    )
    await admin.query(`create role dba_anna login in role studio_auditor; commit`)
  })
  await onServer(`create role shop login; create role shop_reader login in role shop; alter role shop set work_mem = '1MB';
    create table orders (id int); grant select on orders to shop_reader`)
  await makeDatabase(own.cluster.adminUrl, 'studios_of_others')
  expect(await told(own.url)).toEqual([])
})

it('the database that is made to compare with leaves nothing behind, and neither does one that was killed', async () => {
  const state = async () =>
    (
      await onServer(
        `select (select array_agg(a::text order by a.oid) from pg_authid a) as roles,
           (select array_agg(m::text order by m::text) from pg_auth_members m) as members,
           (select array_agg(s::text order by s.setrole) from pg_db_role_setting s) as settings,
           (select array_agg(concat_ws(' ', d.datname, d.datacl) order by d.oid) from pg_database d) as databases`,
      )
    ).rows
  const before = await state()
  await onServer('create database studio_scratch_1_0123456789ab')
  await told(own.url)
  expect(await state()).toEqual(before)
})

it('in the database postgres, the comment that every server has is no finding', async () => {
  const url = databaseUrl(own.cluster.adminUrl, 'postgres')
  await migrate(url, testSecretKey, makeLogger({ level: 'silent' }))
  expect(await told(url)).toEqual([])
})

describe('without a superuser', () => {
  const known = [...asTested, 'server_left_open']

  beforeAll(() =>
    onServer(`create role manager login createrole createdb password 'x'; grant studio_owner, studio_api, studio_recorder,
      studio_writer, studio_console, studio_graphql, studio_analyst, studio_auditor, studio_backup to manager with admin option`),
  )

  it('the audit tells in one finding what a superuser would have closed, and it can be accepted', async () => {
    const url = await makeDatabase(own.cluster.adminUrl, 'managed', 'manager')
    expect(await told(url, known)).toEqual([])
    expect(await told(url)).toEqual([expect.stringMatching(/^server_left_open \| server \| leaves \d+ functions/)])
  })

  it('an index that a release builds concurrently is built, and no finding', async () => {
    const url = await makeDatabase(own.cluster.adminUrl, 'indexed', 'manager')
    const folder = await nextRelease(concurrentIndex)
    onTestFinished(() => rm(folder, { recursive: true }))
    expect(await migrate(url, testSecretKey, makeLogger({ level: 'error' }), folder)).toEqual([nextMigration])
    const objects = async (release?: string) =>
      (await runAudit(url, { accept: known }, () => install(url, release))).findings.map(({ object }) => object)
    expect(await objects(folder)).toEqual([])
    expect(await objects()).toEqual(['index app.items_by_own_name'])
  })
})

it.each([
  ['search_path', `'evil, public'`, 'setting search_path'],
  ['archive_command', `'cp %p /elsewhere'`, 'setting archive_command'],
  ['lo_compat_privileges', 'on', 'setting lo_compat_privileges'],
  ['shared_preload_libraries', 'spy', 'setting shared_preload_libraries at the next start'],
  ['max_prepared_transactions', '7', 'setting max_prepared_transactions at the next start'],
  ['hba_file', `'/elsewhere'`, 'setting hba_file at the next start'],
  // It would break every new connection. The audit finds it before the server reads it.
  ['local_preload_libraries', 'spy', 'setting local_preload_libraries at the next start', 'unread'],
])('a setting of the whole server is a finding: %s', async (name, value, object, reading = 'read') => {
  const { url } = own
  const set = (text: string) =>
    withClient(url, async (admin) => {
      await admin.query(`alter system ${text}`)
      if (reading === 'read') await admin.query('select pg_reload_conf()')
    })
  const settings = async () =>
    unsoundSettings(await asReader(url, readSettings)).flatMap((setting) =>
      setting.name === 'max_prepared_transactions' ? [] : setting.object,
    )
  expect(await settings()).toEqual([])
  await set(`set ${name} = ${value}`)
  try {
    await vi.waitFor(async () => expect(await settings()).toEqual([object]), { timeout: 30_000, interval: 200 })
  } finally {
    await set(`reset ${name}`)
  }
})
