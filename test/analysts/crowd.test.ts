import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withClient } from '../support/server.ts'
import { startService, type TestService } from '../support/service.ts'
import { endless, failureOf, told, useOffice } from './support.ts'

const office = useOffice()

let service: TestService
beforeAll(async () => {
  service = await startService(office.database, { poolSize: 2 })
})
afterAll(() => service?.stop())

const ask = () => service.get('/v1/items', { token: office.cast.a.token.token })

describe('200 connections of one login', () => {
  it('are refused beyond its limit, while the API answers every request', async () => {
    const { login, url } = await office.hire(office.cast.a.id, { connections: 3 })
    expect((await ask()).status).toBe(200)
    let most = 0
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    // Twenty at a time: so many wait for their password to be checked at once, and no test elsewhere goes without.
    const outcomes: Promise<string>[] = []
    const answers: number[] = []
    for (let wave = 0; wave < 10; wave++) {
      const opened = Array.from({ length: 20 }, () => {
        let settled = () => {}
        const known = new Promise<void>((resolve) => {
          settled = resolve
        })
        const outcome = failureOf(
          withClient(url, async (client) => {
            settled()
            void client.query(endless).catch(() => undefined)
            await released
          }),
        ).finally(settled)
        return { outcome, known }
      })
      outcomes.push(...opened.map(({ outcome }) => outcome))
      await Promise.all(opened.map(({ known }) => known))
      answers.push((await ask()).status, (await ask()).status)
      const [row] = await told<{ open: number }>(
        office,
        'select count(*)::int as open from pg_stat_activity where usename = $1',
        [login],
      )
      most = Math.max(most, row?.open ?? 0)
    }
    expect(answers).toEqual(Array.from({ length: 20 }, () => 200))
    expect(most).toBe(3)
    release()
    await told(office, 'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [login])
    const results = await Promise.all(outcomes)
    expect(results.filter((result) => result === '53300')).toHaveLength(197)
  })
})
