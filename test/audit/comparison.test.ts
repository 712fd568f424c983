import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditIn } from '../../src/audit/findings.ts'
import { readSettings } from '../../src/audit/inventory.ts'
import { migrate } from '../../src/database/migrate.ts'
import { makeLogger } from '../../src/log.ts'
import { startCluster, type TestCluster } from '../support/cluster.ts'
import { databaseUrl, testSecretKey, withClient } from '../support/server.ts'
import { changesOfCode } from './changes-of-code.ts'
import { changesOfObjects } from './changes-of-objects.ts'
import { changesOfRights } from './changes-of-rights.ts'

// A server of its own: roles belong to the whole server, and the comparison sees those of other tests.
let cluster: TestCluster
let url: string
beforeAll(async () => {
  cluster = await startCluster({ TEST_POSTGRES_BIN: process.env.TEST_POSTGRES_BIN })
  url = databaseUrl(cluster.adminUrl, 'sound')
  await withClient(cluster.adminUrl, (admin) => admin.query('create database sound'))
  await migrate(url, testSecretKey, makeLogger({ level: 'error', fileDescriptor: 2 }))
}, 120_000)
afterAll(() => cluster?.stop())

/** What an auditor is told after `plant`, as lines; nothing that is planted stays. */
async function told(plant: string, accept: readonly string[] = [], administrators?: readonly string[]): Promise<string[]> {
  return withClient(url, async (admin: pg.Client) => {
    await admin.query('begin')
    await admin.query(plant)
    await admin.query('reset role; set local search_path = pg_catalog')
    const transaction = {
      query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
        (await admin.query<Row>(text, [...values])).rows,
    }
    const settings = await readSettings(transaction)
    await admin.query('set local role studio_auditor')
    // Whatever server the tests run on, it is to be a safe one here.
    const { findings, unseen } = await auditIn(transaction, settings, {
      accept: ['server_below_safe_version', ...accept],
      administrators,
    })
    expect(unseen).toEqual([])
    return findings.map(({ rule, object, finding }) => `${rule} | ${object} | ${finding}`)
  })
}

it('finds nothing in a database as the migrations make it', async () => {
  expect(await told('select')).toEqual([])
})

describe('finds', () => {
  const changes = [...changesOfCode, ...changesOfObjects, ...changesOfRights]

  it.each(changes)('$title', async ({ plant, finds }) => {
    const lines = await told(plant)
    for (const [rule, object, says = ''] of finds) {
      const found = lines.filter((line) => line.startsWith(`${rule} | ${object}`) && line.includes(says))
      expect(found, lines.join('\n')).not.toEqual([])
    }
  })

  it('each of them by itself: none is planted twice, and nothing of them stays', async () => {
    expect(new Set(changes.map(({ plant }) => plant)).size).toBe(changes.length)
    expect(changes.length).toBeGreaterThanOrEqual(58)
    expect(await told('select')).toEqual([])
  })
})
