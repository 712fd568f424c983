import { describe, expect, it } from 'vitest'
import { readConfig } from '../src/config/config.ts'

const trusted = {
  issuer: 'https://id.example.com',
  audience: 'studio-inventory',
  jwksUrl: 'https://id.example.com/keys?policy=studios',
}
const named = (prefix: string) => ({
  [`${prefix}_ISSUER`]: trusted.issuer,
  [`${prefix}_AUDIENCE`]: trusted.audience,
  [`${prefix}_JWKS_URL`]: trusted.jwksUrl,
})
const signInUrl = 'https://app.example.com/sign-in'
const callers = {
  CONSOLE: { ...named('CONSOLE'), CONSOLE_SIGN_IN_URL: signInUrl },
  GRAPHQL: named('GRAPHQL'),
}

describe.each(Object.entries(callers))('a trusted issuer in %s_…', (prefix, given) => {
  it('is read as it is given', () => {
    const { console, graphql } = readConfig(given)
    if (prefix === 'CONSOLE') expect([console.issuer, graphql.trusted]).toEqual([{ ...trusted, signInUrl }, undefined])
    else expect([console.issuer, graphql.trusted]).toEqual([undefined, trusted])
  })

  it.each(Object.keys(given))('is trusted whole or not at all: without %s the start is stopped', (missing) => {
    expect(() => readConfig({ ...given, [missing]: '' })).toThrow(
      new RegExp(`^${missing}: not set, but needed with .*`),
    )
  })

  it.each([
    ['ISSUER', 'two words', 'iss claim'],
    ['AUDIENCE', 'two words', 'aud claim'],
    ['JWKS_URL', 'http://id.example.com/jwks.json', 'https://'],
    ['JWKS_URL', 'https://user:pw@id.example.com/jwks.json', 'https://'],
    ['JWKS_URL', 'file:///jwks.json', 'https://'],
    ['JWKS_URL', 'id.example.com', 'https://'],
  ])('is not read from %s=%s', (name, value, advice) => {
    expect(() => readConfig({ ...given, [`${prefix}_${name}`]: value })).toThrow(advice)
  })

  it.each(['http://localhost:8080/jwks', 'http://127.0.0.1/jwks', 'http://[::1]:8080/jwks'])(
    'may have its keys on this machine: %s',
    (jwksUrl) => {
      expect(() => readConfig({ ...given, [`${prefix}_JWKS_URL`]: jwksUrl })).not.toThrow()
    },
  )
})

describe('the console and GraphQL', () => {
  const both = { ...callers.CONSOLE, ...callers.GRAPHQL }

  it('may trust one issuer, which writes another audience for each', () => {
    const { console, graphql } = readConfig({ ...both, GRAPHQL_AUDIENCE: 'studio-inventory-graphql' })
    expect(graphql.trusted).toEqual({ ...trusted, audience: 'studio-inventory-graphql' })
    expect(console.issuer?.issuer).toBe(graphql.trusted?.issuer)
  })

  it('may not take the same tokens: who is shown one with a query could sign in to the console with it', () => {
    expect(() => readConfig(both)).toThrow(/^GRAPHQL_AUDIENCE: the same as CONSOLE_AUDIENCE, .*; give another/)
  })

  it('may have the same audience from two issuers, or without the console', () => {
    expect(() => readConfig({ ...both, GRAPHQL_ISSUER: 'https://id.example.org' })).not.toThrow()
    expect(() => readConfig({ ...both, CONSOLE: 'false' })).not.toThrow()
  })
})
