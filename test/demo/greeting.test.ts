import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { offersDemoSignIn } from '../../src/demo/prepare-demo.ts'

const secretKey = 'a secret key that is long enough, for tests'
const own = { DATABASE_URL: 'postgresql://db.example/studio_inventory', SECRET_KEY: secretKey }
const issuer = {
  CONSOLE_ISSUER: 'https://id.example.com/',
  CONSOLE_CLIENT_ID: 'studio-inventory',
  CONSOLE_CLIENT_SECRET: 'a secret of the client',
  PUBLIC_URL: 'https://api.example.com',
}

test.each([
  ['with the embedded server', {}, true],
  ['with the embedded server without the console', { CONSOLE: 'false' }, false],
  ["with a database of one's own, where /console answers 404", own, false],
  ['with an identity provider, which does not know the demo users', { ...own, ...issuer }, false],
])('%s the demo leads to the console: %s', (_title, env, expected) => {
  expect(offersDemoSignIn(readConfig(env as Record<string, string>))).toBe(expected)
})
