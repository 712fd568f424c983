import type { z } from 'zod'
import { ConfigError } from './error.ts'
import { text, trueOrFalse, webAddress, wholeNumber } from './values.ts'

/** Who vouches for the people who use the console: an issuer of OpenID Connect's kind of ID tokens. */
export type TrustedIssuer = { issuer: string; audience: string; jwksUrl: string; signInUrl: string }

export type ConsoleConfig = {
  enabled: boolean
  /** Undefined: nobody can sign in, but to the demo of the embedded server. */
  issuer: TrustedIssuer | undefined
  sessionMinutes: number
  /** Attempts to sign in from one client address in a minute. */
  signInsPerMinute: number
  /** Tokens that one person may try to create in a minute. */
  tokensPerMinute: number
}

const advice = {
  CONSOLE_ISSUER: 'give the iss claim of the ID tokens that say who signs in, for example https://id.example.com',
  CONSOLE_AUDIENCE: 'give the aud claim that the issuer writes for this console',
  CONSOLE_JWKS_URL: "give the address of the issuer's public keys, for example https://id.example.com/jwks.json",
  CONSOLE_SIGN_IN_URL: 'give the address of the page where people sign in, which posts the ID token back',
} as const

const overHttps = 'give an https address: whoever can change the keys on their way can sign in as anybody'

const needed = ['CONSOLE_ISSUER', 'CONSOLE_AUDIENCE', 'CONSOLE_JWKS_URL', 'CONSOLE_SIGN_IN_URL'] as const

const present = (name: 'CONSOLE_ISSUER' | 'CONSOLE_AUDIENCE') =>
  text((value) => /^\S{1,500}$/.test(value), advice[name]).optional()

export const consoleVariables = {
  CONSOLE: trueOrFalse(true),
  CONSOLE_ISSUER: present('CONSOLE_ISSUER'),
  CONSOLE_AUDIENCE: present('CONSOLE_AUDIENCE'),
  CONSOLE_JWKS_URL: webAddress(advice.CONSOLE_JWKS_URL)
    .refine((value) => /^https:|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/)/.test(value), overHttps)
    .optional(),
  CONSOLE_SIGN_IN_URL: webAddress(advice.CONSOLE_SIGN_IN_URL).optional(),
  CONSOLE_SESSION_MINUTES: wholeNumber(1, 10_080, 480),
  RATE_LIMIT_SIGN_INS_PER_MINUTE: wholeNumber(1, 1_000_000, 10),
  RATE_LIMIT_NEW_TOKENS_PER_MINUTE: wholeNumber(1, 1_000_000, 10),
}

type Data = z.infer<z.ZodObject<typeof consoleVariables>>

/** @throws ConfigError when an issuer is described by halves */
export function readConsole(data: Data): ConsoleConfig {
  return {
    enabled: data.CONSOLE,
    issuer: readIssuer(data),
    sessionMinutes: data.CONSOLE_SESSION_MINUTES,
    signInsPerMinute: data.RATE_LIMIT_SIGN_INS_PER_MINUTE,
    tokensPerMinute: data.RATE_LIMIT_NEW_TOKENS_PER_MINUTE,
  }
}

function readIssuer(data: Data): TrustedIssuer | undefined {
  const given = needed.find((name) => data[name] !== undefined)
  if (given === undefined) return undefined
  const [issuer, audience, jwksUrl, signInUrl] = needed.map((name) => {
    const value = data[name]
    if (value !== undefined) return value
    throw new ConfigError(`${name}: not set, but needed with ${given}; ${advice[name]}`)
  }) as [string, string, string, string]
  return { issuer, audience, jwksUrl, signInUrl }
}
