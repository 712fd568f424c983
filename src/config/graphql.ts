import type { z } from 'zod'
import { ConfigError, isSecureAddress, optionalPort, text, webAddress, wholeNumber } from './values.ts'

export type TrustedIssuer = {
  /** The issuer's tokens have this `iss` claim. */
  issuer: string
  /** Tokens for this service have this `aud` claim. */
  audience: string
  /** The address of its public keys. */
  jwksUrl: string
}

const advice = {
  GRAPHQL_JWKS_URL:
    "give the https:// address of the issuer's public keys, for example https://id.example.com/jwks.json",
  GRAPHQL_ISSUER: 'give the iss claim of the ID tokens, for example https://id.example.com',
  GRAPHQL_AUDIENCE: 'give the aud claim that the issuer writes for this service',
} as const

const isClaim = (value: string) => /^\S{1,500}$/.test(value)

export const graphqlVariables = {
  GRAPHQL_PORT: optionalPort(),
  GRAPHQL_PUBLIC_URL: webAddress(
    'give the address analysts use, without /graphql, for example https://graphql.example.com',
  ).optional(),
  GRAPHQL_POOL_SIZE: wholeNumber(1, 1000, 4),
  GRAPHQL_JWKS_URL: text(
    isSecureAddress,
    `${advice.GRAPHQL_JWKS_URL}: anybody who can change the keys in transit can sign in as anybody`,
  ).optional(),
  GRAPHQL_ISSUER: text(isClaim, advice.GRAPHQL_ISSUER).optional(),
  GRAPHQL_AUDIENCE: text(isClaim, advice.GRAPHQL_AUDIENCE).optional(),
}

type Data = z.infer<z.ZodObject<typeof graphqlVariables>>

/** GraphQL runs as its own process. @throws ConfigError when a part of the issuer is missing */
export function readGraphql(data: Data) {
  return {
    /** The port. Undefined: 3001, or in the demo the port after the API's. */
    port: data.GRAPHQL_PORT,
    /** The address that analysts use, without `/graphql`. Undefined: known only in the demo. */
    publicUrl: data.GRAPHQL_PUBLIC_URL,
    poolSize: data.GRAPHQL_POOL_SIZE,
    /** The organisation's issuer of identities, besides the service's own tokens. */
    trusted: readIssuer(data),
  }
}

/** All parts of the issuer, or undefined when none is set. */
function readIssuer(data: Data): TrustedIssuer | undefined {
  const names = Object.keys(advice) as (keyof typeof advice)[]
  const given = names.find((name) => data[name] !== undefined)
  if (given === undefined) return undefined
  const part = (name: keyof typeof advice) => {
    const value = data[name]
    if (value !== undefined) return value
    throw new ConfigError(`${name}: not set, but needed with ${given}; ${advice[name]}`)
  }
  return { issuer: part('GRAPHQL_ISSUER'), audience: part('GRAPHQL_AUDIENCE'), jwksUrl: part('GRAPHQL_JWKS_URL') }
}
