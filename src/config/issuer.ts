import { ConfigError } from './error.ts'
import { isSecureAddress, text } from './values.ts'

/** A trusted issuer of OpenID Connect ID tokens. */
export type TrustedIssuer = {
  /** What it writes into `iss`. */
  issuer: string
  /** What it writes into `aud` for this service. */
  audience: string
  /** Where its public keys are. */
  jwksUrl: string
}

/** What to give for each part of a trusted issuer. */
export const issuerAdvice = {
  issuer: 'give the iss claim of the ID tokens, for example https://id.example.com',
  audience: 'give the aud claim that the issuer writes for this service',
  jwksUrl: "give the https:// address of the issuer's public keys, for example https://id.example.com/jwks.json",
} as const

/** The values of the variables that describe a trusted issuer. */
export const issuerValues = {
  issuer: text(isClaim, issuerAdvice.issuer).optional(),
  audience: text(isClaim, issuerAdvice.audience).optional(),
  jwksUrl: text(
    isSecureAddress,
    `${issuerAdvice.jwksUrl}: whoever can change the keys in transit can sign in as anybody`,
  ).optional(),
}

function isClaim(value: string): boolean {
  return /^\S{1,500}$/.test(value)
}

/**
 * Reads variables that belong together: all of them, or none.
 *
 * @param advice what to give for each of them
 * @throws ConfigError when some are set and one is not
 */
export function allOrNone<Name extends string>(
  data: { readonly [name in NoInfer<Name>]?: string | undefined },
  advice: Readonly<Record<Name, string>>,
): Record<Name, string> | undefined {
  const names = Object.keys(advice) as Name[]
  const given = names.find((name) => data[name] !== undefined)
  if (given === undefined) return undefined
  const entries = names.map((name) => {
    const value = data[name]
    if (value !== undefined) return [name, value] as const
    throw new ConfigError(`${name}: not set, but needed with ${given}; ${advice[name]}`)
  })
  return Object.fromEntries(entries) as Record<Name, string>
}
