import { altered, type Mutation } from '../mutation.ts'

const file = 'src/auth/identity/id-token.ts'
const tests = ['test/identity/id-token.test.ts']

/** Looks an e-mail up as the locale of the database folds case. */
const foldedByLocale = (name: string, argument: string) =>
  altered(
    `pg_get_functiondef('${name}'::regproc)`,
    `lower(u.email collate "C") = pg_catalog.lower(${argument} collate "C")`,
    `lower(u.email) = pg_catalog.lower(${argument})`,
  )

export const identity: readonly Mutation[] = [
  {
    name: 'believe an e-mail that nobody has verified',
    tests,
    patch: { file, from: 'return verified === true || (', to: 'return true || (' },
  },
  {
    name: 'take an e-mail with letters that are not ASCII',
    tests,
    patch: { file, from: '[\\x21-\\x7e]{3,320}', to: '[^]{3,320}' },
  },
  {
    name: 'take an ID token that was made for others',
    tests,
    patch: { file, from: '      audience,\n', to: '' },
  },
  {
    name: 'take an ID token that was issued to another party',
    tests,
    patch: { file, from: 'claims.azp !== audience', to: 'false' },
  },
  {
    name: 'take ID tokens of any issuer',
    tests,
    patch: { file, from: '      issuer,\n', to: '' },
  },
  {
    name: 'take signatures by a shared secret',
    tests: ['test/console/sign-in-refused.test.ts'],
    patch: { file, from: '      algorithms,\n', to: '' },
  },
  {
    name: 'take an ID token of any age',
    tests,
    patch: { file, from: '      maxTokenAge: oldestSeconds,\n', to: '' },
  },
  {
    name: 'take an ID token that names no end, no beginning or no subject',
    tests,
    patch: { file, from: `requiredClaims: ['exp', 'iat', 'sub']`, to: 'requiredClaims: []' },
  },
  {
    name: 'take an access token for an ID token',
    tests,
    patch: {
      file,
      from: `!/^jwt$/i.test(protectedHeader.typ ?? 'JWT')`,
      to: 'protectedHeader.typ === undefined && false',
    },
  },
  {
    name: 'take an ID token whose end is no date',
    tests,
    patch: { file, from: ' || exp > lastSecond', to: '' },
  },
  {
    name: 'fetch the keys of a failing issuer with every token',
    tests: ['test/identity/keys.test.ts'],
    patch: { file: 'src/auth/identity/keys.ts', from: 'performance.now() - failed < backoffMs', to: 'false' },
  },
  {
    name: 'use cached keys forever while the issuer is unreachable',
    tests: ['test/identity/keys.test.ts'],
    patch: { file: 'src/auth/identity/keys.ts', from: ' && Date.now() - uat < maxAgeMs', to: '' },
  },
  {
    name: 'find a user as the locale folds their e-mail',
    tests: ['test/sql/access/emails.test.ts'],
    sql: foldedByLocale('access.find_user', 'find_user.email'),
  },
  {
    name: 'sign a user in as the locale folds their e-mail',
    tests: ['test/sql/access/emails.test.ts'],
    sql: foldedByLocale('console.sign_in', 'sign_in.email'),
  },
  {
    name: 'let an analyst in as the locale folds their e-mail',
    tests: ['test/sql/access/emails.test.ts'],
    sql: foldedByLocale('access.open_analyst_session', 'open_analyst_session.email'),
  },
]
