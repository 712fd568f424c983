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
      expect((await client.query('select name from account')).rows).toHaveLength(1)
      await expect.poll(() => service.output(), { timeout: 20_000 }).toContain('watchdog: cancelled')
    })
    const line = /^.*watchdog.*$/m.exec(service.output())?.[0]
    expect(JSON.parse(line ?? '')).toMatchObject({ login, action: 'cancelled', reason: 'its statement runs too long' })
  } finally {
    service.child.kill('SIGTERM')
  }
  expect((await service.ended).status).toBe(0)
})

it('the server’s log repeats neither what an analyst sends nor what the server answers, however often', async () => {
  const { login, url } = await office.hire(office.cast.a.id)
  const mark = `asked by ${login}`
  await withClient(url, async (client) => {
    for (const name of ['debug_print_parse', 'debug_print_plan']) await client.query(`set ${name} = on`)
    for (let count = 0; count < 3; count += 1)
      await client.query({ name: 'again', text: `select '${mark}' from items` })
    expect(await failureOf(client.query(`select repeat('${mark}', 1000)::integer`))).toBe('22P02')
  })
  const log = await serverLog()
  if (log !== null) expect(log).not.toContain(mark)
})

/** Only the embedded server's log lies where this process can read it. */
async function serverLog(): Promise<string | null> {
  const [server] = await told<{ data: string }>(office, `select current_setting('data_directory') as data`)
  return readFile(join(server?.data ?? '', 'postgres.log'), 'utf8').catch(() => null)
}
