import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { signInPromised } from '../../src/dev/demo/greeting.ts'

const secretKey = 'a secret key that is long enough, for tests'
const own = { DATABASE_URL: 'postgresql://db.example/studio_inventory', SECRET_KEY: secretKey }
const issuer = {
  CONSOLE_ISSUER: 'https://id.example.com/',
  CONSOLE_AUDIENCE: 'studio-inventory',
  CONSOLE_JWKS_URL: 'https://id.example.com/jwks.json',
  CONSOLE_SIGN_IN_URL: 'https://id.example.com/sign-in',
}

test.each([
  ['with the embedded server', {}, true],
  ['with the embedded server without the console', { CONSOLE: 'false' }, false],
  ["with a database of one's own, where /console answers 404", own, false],
  ['with an identity provider, which does not know the demo users', { ...own, ...issuer }, false],
])('%s the demo leads to the console: %s', (_title, env, expected) => {
  expect(signInPromised(readConfig(env as Record<string, string>))).toBe(expected)
})
