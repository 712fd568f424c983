import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { endless, failureOf, told, useOffice } from '../analysts/support.ts'
import { envFor, startCli } from '../cli/run.ts'
import { withClient } from '../support/server.ts'

const office = useOffice()

it('the running service cancels a statement that runs too long although the analyst turned the timeout off, and logs whose', async () => {
  const { login, url } = await office.hire(office.cast.a.id, { timeout: 5 })
  const service = startCli(['serve'], envFor(office.database, { PORT: '0' }))
  try {
    await withClient(url, async (client) => {
      await client.query('set statement_timeout = 0')
      expect(await failureOf(client.query(endless))).toBe('57014')
      await expect.poll(() => service.output(), { timeout: 20_000 }).toContain('watchdog: cancelled')
    })
    const line = /^.*watchdog.*$/m.exec(service.output())?.[0]
    expect(JSON.parse(line ?? '')).toMatchObject({ login, action: 'cancelled', reason: 'its statement runs too long' })
  } finally {
    service.child.kill('SIGTERM')
  }
  expect((await service.ended).status).toBe(0)
})

it('every statement is in the server’s log under the login that sent it', async () => {
  const { login, url } = await office.hire(office.cast.a.id)
  const mark = `asked by ${login}`
  await withClient(url, async (client) => {
    await client.query(`select '${mark}' from items`)
    await client.query(`select $1::text from account`, [mark])
    expect((await client.query('show log_statement')).rows).toEqual([{ log_statement: 'all' }])
  })
  const log = await serverLog()
  if (log === null) return
  const lines = log.split('\n').filter((line) => line.includes(login) && line.includes('select'))
  expect(
    lines.some((line) => line.includes(`${login}@${office.database.name} LOG:  statement: select '${mark}'`)),
  ).toBe(true)
  expect(lines.some((line) => line.includes('select $1::text from account'))).toBe(true)
})

/** Only the embedded server's log lies where this process can read it. */
async function serverLog(): Promise<string | null> {
  const [server] = await told<{ data: string }>(office, `select current_setting('data_directory') as data`)
  return readFile(join(server?.data ?? '', '../postgres.log'), 'utf8').catch(() => null)
}
