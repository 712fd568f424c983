import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConsole } from '../../src/apps/console/console.ts'
import { newCookieValue } from '../../src/apps/console/cookies.ts'
import type { ApiToken } from '../../src/apps/console/store.ts'
import { createLimiter } from '../../src/auth/limiter.ts'
import { readConfig } from '../../src/config/config.ts'
import { DatabaseUnavailable } from '../../src/database/errors.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { fakePool } from '../support/fake-pool.ts'
import { look, openSite, type Site } from './support.ts'

/** What the demo does not show: what a database answers, or does not answer, is written here. */
const studioId = '3d7e2f5b-0c55-4a4e-8f0a-6e2a0c1c9d11'
const tokens = `/console/studios/${studioId}/tokens`
const moment = '2026-03-02T10:20:30.000Z'
const token: ApiToken = {
  id: '7b0a4d3e-1f2c-4b5a-8d6e-9f0a1b2c3d4e',
  name: 'Accounting, until the end of the quarter',
  prefix: 'svc_studio_9f3a',
  issuedBy: 'Olga Owner',
  scope: 'Mia Member',
  formerScope: null,
  refused: false,
  createdAt: moment,
  lastUsedAt: moment,
  revokedAt: null,
  expiresAt: moment,
  expired: true,
  addresses: ['192.0.2.0/24', '2001:db8::/32'],
}
const studio = {
  studioId,
  name: 'Attic Sound',
  role: 'owner',
  publicApi: true,
  mayManage: true,
  plan: 'studio' as string | null,
  id: '0d9f3b52-6c1e-4f5a-9a55-1d2f3c4b5a69',
  you: 'Olga Owner',
  email: 'olga@attic.example',
}

/** What the database answers, and whether it does. */
let known = studio
let answers = true
const pool = fakePool(async ({ name = '' }) => {
  if (!answers) throw new DatabaseUnavailable('the database is away')
  if (name === 'console_list_studios') return [known]
  return name === 'console_list_tokens' ? [token] : []
})

let site: Site
beforeAll(async () => {
  const config = readConfig({ PUBLIC_URL: 'http://localhost:3000', CONSOLE_PLANS_URL: 'https://example.com/plans' })
  const log = makeLogger({ level: 'silent' })
  site = await openSite({
    console: await createConsole({
      config,
      secretKey: 'a secret key for tests, known to everybody',
      pool,
      method: { kind: 'providers', providers: [] },
      limiter: await createLimiter(config, log),
      log,
    }),
  })
})
afterAll(() => site?.close())

it.each<[state: string, path: string, says: string, database: { of?: Partial<typeof studio>; answers?: boolean }]>([
  ['import-off', `${tokens}/../import`, 'You cannot import files in this console', {}],
  ['upsell-with-plans', tokens, 'Choose a plan', { of: { plan: null } }],
  ['tokens-expired', tokens, 'Expired', {}],
  ['token-expired', `${tokens}/${token.id}`, 'Expired', {}],
  ['not-allowed', `${tokens}/../members`, 'Only owners and admins', { of: { role: 'member', mayManage: false } }],
  ['not-available', tokens, 'The service cannot answer at the moment', { answers: false }],
])('axe finds nothing: %s', async (state, path, says, database) => {
  known = { ...studio, ...database.of }
  answers = database.answers ?? true
  const { page, close } = await site.visit('/')
  await page.context().addCookies([{ name: 'studio-inventory-session', value: newCookieValue(), url: site.origin }])
  await page.goto(new URL(path, site.origin).href)
  expect(await page.getByRole('main').innerText()).toContain(says)
  await look(page, state)
  await close()
})
