import { expect, test } from 'vitest'
import { createPool } from '../../src/database/pool.ts'
import { makeLogger } from '../../src/log.ts'
import { asAdmin, useDatabase } from '../support/server.ts'

const database = useDatabase()

test('a pool opens no connection in the place of one whose statement still runs', async () => {
  const applicationName = 'orphans.test'
  const pool = createPool(database.adminUrl, {
    ...{ applicationName, size: 1, acquireTimeoutMs: 300, statementTimeoutMs: 100 },
    log: makeLogger({ level: 'silent' }),
  })
  const sessions = () =>
    asAdmin(database, async (client) => {
      const text = 'select from pg_stat_activity where application_name = $1'
      return (await client.query(text, [applicationName])).rowCount
    })
  const ask = (text: string) => pool.query({ name: text, text })
  try {
    // Such a session hears of no timeout, as in a comparison of long texts.
    await ask(`select set_config('statement_timeout', '0', false)`)
    await expect(ask('select pg_sleep(3)')).rejects.toThrow('Query read timeout')
    await expect(ask('select 1')).rejects.toThrow('timeout exceeded when trying to connect')
    expect(await sessions()).toBe(1)
    await expect.poll(() => ask('select 1 as one').catch(() => []), { timeout: 10_000 }).toEqual([{ one: 1 }])
    expect(await sessions()).toBe(1)
  } finally {
    await pool.close()
  }
})
