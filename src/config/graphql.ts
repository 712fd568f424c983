import type { z } from 'zod'
import { allOrNone, issuerAdvice, issuerValues, type TrustedIssuer } from './issuer.ts'
import { text, webAddress, wholeNumber } from './values.ts'

/** The GraphQL listener. */
export type GraphqlConfig = {
  /** Undefined: off, but for the demo. */
  port: number | undefined
  /** The address analysts use, without `/graphql`; undefined: known in the demo alone. */
  publicUrl?: string | undefined
  poolSize: number
  /** How many days an identity of an analyst's login is valid at most; 0: there are none. */
  loginDays: number
  /** The organisation's issuer of identities, beside the tokens that the service signs. */
  trusted: TrustedIssuer | undefined
}

const advice = {
  GRAPHQL_JWKS_URL: issuerAdvice.jwksUrl,
  GRAPHQL_ISSUER: issuerAdvice.issuer,
  GRAPHQL_AUDIENCE: issuerAdvice.audience,
} as const

export const graphqlVariables = {
  GRAPHQL_PORT: text(
    (value) => /^\d{1,5}$/.test(value) && Number(value) <= 65535,
    'give a port from 0 to 65535; 0 is any free one',
  )
    .transform(Number)
    .optional(),
  GRAPHQL_PUBLIC_URL: webAddress(
    'give the address analysts use, without /graphql, for example https://graphql.example.com',
  ).optional(),
  GRAPHQL_POOL_SIZE: wholeNumber(1, 1000, 4),
  GRAPHQL_IDENTITY_DAYS: wholeNumber(0, 366, 90),
  GRAPHQL_JWKS_URL: issuerValues.jwksUrl,
  GRAPHQL_ISSUER: issuerValues.issuer,
  GRAPHQL_AUDIENCE: issuerValues.audience,
}

type Data = z.infer<z.ZodObject<typeof graphqlVariables>>

/** @throws ConfigError when a part of the issuer is missing */
export function readGraphql(data: Data): GraphqlConfig {
  const given = allOrNone(data, advice)
  const trusted = given && {
    issuer: given.GRAPHQL_ISSUER,
    audience: given.GRAPHQL_AUDIENCE,
    jwksUrl: given.GRAPHQL_JWKS_URL,
  }
  return {
    port: data.GRAPHQL_PORT,
    publicUrl: data.GRAPHQL_PUBLIC_URL,
    poolSize: data.GRAPHQL_POOL_SIZE,
    loginDays: data.GRAPHQL_IDENTITY_DAYS,
    trusted,
  }
}
