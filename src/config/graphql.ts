import type { z } from 'zod'
import type { TrustedIssuer } from '../graphql/identity.ts'
import { ConfigError } from './error.ts'
import { hasProtocol, text, wholeNumber } from './values.ts'

/** The GraphQL listener. */
export type GraphqlConfig = {
  /** Undefined: off, but for the demo. */
  port: number | undefined
  poolSize: number
  /** The organisation's issuer of identities, beside the tokens that the service signs. */
  trusted: TrustedIssuer | undefined
}

const names = ['GRAPHQL_JWKS_URL', 'GRAPHQL_ISSUER', 'GRAPHQL_AUDIENCE'] as const

export const graphqlVariables = {
  GRAPHQL_PORT: text(
    (value) => /^\d{1,5}$/.test(value) && Number(value) <= 65535,
    'give a port from 0 to 65535; 0 is any free one',
  )
    .transform(Number)
    .optional(),
  GRAPHQL_POOL_SIZE: wholeNumber(1, 1000, 4),
  GRAPHQL_JWKS_URL: text(
    (value) => hasProtocol(value, ['https:']) || /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(value),
    "give the https:// address of the issuer's key set, for example https://id.example.com/.well-known/jwks.json",
  ).optional(),
  GRAPHQL_ISSUER: text((value) => value !== '', 'give what the issuer writes into iss').optional(),
  GRAPHQL_AUDIENCE: text((value) => value !== '', 'give what the issuer writes into aud for this service').optional(),
}

type Data = z.infer<z.ZodObject<typeof graphqlVariables>>

/** @throws ConfigError when a part of the issuer is missing */
export function readGraphql(data: Data): GraphqlConfig {
  const { GRAPHQL_JWKS_URL: jwksUrl, GRAPHQL_ISSUER: issuer, GRAPHQL_AUDIENCE: audience } = data
  const [missing] = names.filter((name) => data[name] === undefined)
  const [given] = names.filter((name) => data[name] !== undefined)
  if (given !== undefined && missing !== undefined) {
    throw new ConfigError(`${missing}: not set, but needed with ${given}; set all of ${names.join(', ')}, or none`)
  }
  const trusted = jwksUrl && issuer && audience ? { jwksUrl, issuer, audience } : undefined
  return { port: data.GRAPHQL_PORT, poolSize: data.GRAPHQL_POOL_SIZE, trusted }
}
