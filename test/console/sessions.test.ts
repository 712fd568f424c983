import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { newCookieValue } from '../../src/apps/console/cookies.ts'
import type { TestService } from '../support/service.ts'
import { consoleOf, sessionCookie, useConsole, visitorOf } from './support.ts'

const world = useConsole()
const owner = () => world.cast.a.people.owner

it('a session expires, and only its digest is stored', async () => {
  const visitor = await world.as(owner())
  const kept = await world.owner<{ digest: string }>(
    `select encode(digest, 'hex') as digest from access.console_sessions order by created_at desc limit 1`,
  )
  expect(kept[0]?.digest).toBe(hash('sha256', visitor.cookies.get(sessionCookie) ?? ''))
  await world.owner(`update access.console_sessions set expires_at = now()`)
  const secret = visitor.cookies.get(sessionCookie) ?? ''
  for (const path of ['/console', world.tokens()]) {
    visitor.cookies.set(sessionCookie, secret)
    expect((await visitor.get(path)).location).toBe('/console/sign-in')
  }
})

it('a link from another site arrives after one more step, in which the cookie is sent', async () => {
  const page = await world.stranger().get(world.tokens(), { 'Sec-Fetch-Site': 'cross-site' })
  expect(page.status).toBe(200)
  expect(page.text).toContain(`content="0; url=${world.tokens()}"`)
})

it('guesses that are sent at the same time are counted before the database is asked', async () => {
  let asked = 0
  const service = await world.start({
    console: ({ pool, ...parts }) => {
      const query: typeof pool.query = (...given) => {
        asked += 1
        return pool.query(...given)
      }
      return consoleOf()({ ...parts, pool: { ...pool, query } })
    },
  })
  const pages = await Promise.all(Array.from({ length: 100 }, () => guess(service)))
  expect(pages.filter(({ status }) => status === 429)).toHaveLength(70)
  expect(asked).toBe(30)
})

it('requests of open sessions are no guesses, nor do those of others end them', async () => {
  const service = await world.start({ console: consoleOf() })
  const visitor = await world.as(owner(), service)
  for (let n = 0; n < 11; n++) expect((await visitor.get(world.tokens())).status).toBe(200)
  for (let n = 0; n < 11; n++) await world.as(owner(), service)
  // What they cost of the limit is taken back.
  const guesses = []
  for (let n = 0; n < 31; n++) guesses.push((await guess(service)).status)
  expect(guesses.slice(0, 30)).toEqual(Array(30).fill(303))
  expect(guesses[30]).toBe(429)
  expect((await visitor.get(world.tokens())).status).toBe(200)
})

async function guess(service: TestService) {
  const visitor = visitorOf(service)
  visitor.cookies.set(sessionCookie, newCookieValue())
  return visitor.get('/console')
}
