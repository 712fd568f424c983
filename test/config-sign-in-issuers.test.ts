import { describe, expect, it } from 'vitest'
import { readConfig } from '../src/config/config.ts'

const first = { CONSOLE_ISSUER: 'https://id.example.com/realms/studio', CONSOLE_CLIENT_ID: 'studio-inventory' }
const discovery = 'https://x.example/.well-known/openid-configuration'
const everyTenant = 'https://login.microsoftonline.com/common/v2.0'
const issuersOf = (env: Record<string, string>) => readConfig(env).console.issuers

describe('where people sign in to the console', () => {
  it('is nowhere by default, and at one provider when it is given', () => {
    expect(issuersOf({})).toEqual([])
    expect(issuersOf(first)).toEqual([
      {
        ...{ number: 1, name: 'id.example.com', issuer: first.CONSOLE_ISSUER, clientId: 'studio-inventory' },
        ...{ clientSecret: undefined, scopes: 'openid email', userClaim: 'email', emailVerified: 'required' },
      },
    ])
  })

  it('is at several, each with a number in the names of its variables', () => {
    const google = { issuer: 'https://accounts.google.com', clientId: '1234.apps.googleusercontent.com' }
    const issuers = issuersOf({
      ...{ ...first, CONSOLE_ISSUER_NAME: 'Staff', CONSOLE_CLIENT_SECRET: 'hunter2' },
      ...{ CONSOLE_ISSUER_3: google.issuer, CONSOLE_ISSUER_NAME_3: 'Google', CONSOLE_CLIENT_ID_3: google.clientId },
      ...{ CONSOLE_CLIENT_SECRET_3: 'hunter3', CONSOLE_SCOPES_3: 'openid email profile' },
      ...{ CONSOLE_USER_CLAIM_3: 'https://example.com/mail', CONSOLE_ISSUER_2: '' },
    })
    const more = { scopes: 'openid email profile', userClaim: 'https://example.com/mail' }
    expect(issuers).toMatchObject([
      { number: 1, name: 'Staff', clientSecret: 'hunter2' },
      { number: 3, name: 'Google', clientSecret: 'hunter3', ...google, ...more },
    ])
  })
})

describe('the start is stopped', () => {
  it.each<[what: string, env: Record<string, string>, message: RegExp]>([
    ['without a client', { CONSOLE_CLIENT_ID: '' }, /^CONSOLE_CLIENT_ID: not set, .* with CONSOLE_ISSUER;/],
    [
      'without an issuer',
      { CONSOLE_CLIENT_ID_2: 'x' },
      /^CONSOLE_ISSUER_2: not set, .* with CONSOLE_CLIENT_ID_2; give/,
    ],
    ['by http', { CONSOLE_ISSUER: 'http://id.example.com' }, /^CONSOLE_ISSUER: "http:.*" is not valid; give/],
    ['by no address', { CONSOLE_ISSUER: 'id.example.com' }, /^CONSOLE_ISSUER: .* https:\/\//],
    ['by a password', { CONSOLE_ISSUER: 'https://u:pw@x.example' }, /^CONSOLE_ISSUER: "\*\*\*@x.example" is not/],
    [
      'by the address of the discovery document',
      { CONSOLE_ISSUER: discovery },
      /without \/.well-known\/openid-configur/,
    ],
    ['by an issuer of every tenant', { CONSOLE_ISSUER: everyTenant }, /with the id of your tenant, not common/],
    ['by scopes without openid', { CONSOLE_SCOPES: 'email' }, /^CONSOLE_SCOPES: "email" .* with openid among/],
    ['by a claim in two words', { CONSOLE_USER_CLAIM: 'e mail' }, /^CONSOLE_USER_CLAIM: .* name of the claim/],
    ['by another policy', { CONSOLE_EMAIL_VERIFIED: 'no' }, /^CONSOLE_EMAIL_VERIFIED: .* required, optional, or/],
    [
      'by a policy for a claim without one',
      { CONSOLE_EMAIL_VERIFIED: 'optional', CONSOLE_USER_CLAIM: 'upn' },
      /^CONSOLE_EMAIL_VERIFIED: applies only to the claim email/,
    ],
    ['by a name of many lines', { CONSOLE_ISSUER_NAME: 'a\nb' }, /^CONSOLE_ISSUER_NAME: .* 1 to 40 characters/],
    [
      'by a number too few',
      { CONSOLE_ISSUER_1: 'x' },
      /^CONSOLE_ISSUER_1: the first issuer has no number, others .* 9/,
    ],
    ['by a number too many', { CONSOLE_CLIENT_ID_10: 'x' }, /^CONSOLE_CLIENT_ID_10: the first issuer has no number/],
    [
      'by two of one name',
      { CONSOLE_ISSUER_2: 'https://id.example.com', CONSOLE_CLIENT_ID_2: 'y' },
      /^CONSOLE_ISSUER_NAME_2: two issuers are called id.example.com; name each/,
    ],
  ])('%s', (_what, env, message) => {
    expect(() => readConfig({ ...first, ...env })).toThrow(message)
  })
})
