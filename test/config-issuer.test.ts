import { describe, expect, it } from 'vitest'
import { readConfig } from '../src/config/config.ts'

const trusted = {
  issuer: 'https://id.example.com',
  audience: 'studio-inventory',
  jwksUrl: 'https://id.example.com/keys?policy=studios',
}
const given = {
  GRAPHQL_ISSUER: trusted.issuer,
  GRAPHQL_AUDIENCE: trusted.audience,
  GRAPHQL_JWKS_URL: trusted.jwksUrl,
}

describe('the trusted issuer of GraphQL', () => {
  it('is read as it is given', () => {
    expect(readConfig(given).graphql.trusted).toEqual(trusted)
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
    expect(() => readConfig({ ...given, [`GRAPHQL_${name}`]: value })).toThrow(advice)
  })

  it.each(['http://localhost:8080/jwks', 'http://127.0.0.1/jwks', 'http://[::1]:8080/jwks'])(
    'may have its keys on this machine: %s',
    (jwksUrl) => {
      expect(() => readConfig({ ...given, GRAPHQL_JWKS_URL: jwksUrl })).not.toThrow()
    },
  )
})
