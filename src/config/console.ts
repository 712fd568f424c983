import type { z } from 'zod'
import { allOrNone, issuerAdvice, issuerValues, type TrustedIssuer } from './issuer.ts'
import { pageAddress, trueOrFalse, webAddress, wholeNumber } from './values.ts'

/** The identity provider of the console's users, and the page where they sign in. */
export type SignInIssuer = TrustedIssuer & { signInUrl: string }

export type ConsoleConfig = {
  enabled: boolean
  /** Undefined: nobody can sign in, but to the demo of the embedded server. */
  issuer: SignInIssuer | undefined
  sessionMinutes: number
  /** Whether owners and admins import files; undefined: with the embedded server only. */
  importing: boolean | undefined
  /** The page where a studio chooses a plan, for whoever has none; undefined: they are told whom to ask. */
  plansUrl: string | undefined
  /** Attempts to sign in from one client address in a minute. */
  signInsPerMinute: number
  /** Tokens that one person may try to create in a minute. */
  tokensPerMinute: number
}

const advice = {
  CONSOLE_ISSUER: issuerAdvice.issuer,
  CONSOLE_AUDIENCE: issuerAdvice.audience,
  CONSOLE_JWKS_URL: issuerAdvice.jwksUrl,
  CONSOLE_SIGN_IN_URL: 'give the address of the page where people sign in, which posts the ID token back',
} as const

export const consoleVariables = {
  CONSOLE: trueOrFalse(true),
  CONSOLE_ISSUER: issuerValues.issuer,
  CONSOLE_AUDIENCE: issuerValues.audience,
  CONSOLE_JWKS_URL: issuerValues.jwksUrl,
  CONSOLE_SIGN_IN_URL: webAddress(advice.CONSOLE_SIGN_IN_URL).optional(),
  CONSOLE_PLANS_URL: pageAddress(
    'give the address of the page where a studio chooses a plan, for example https://app.example.com/plans',
  ).optional(),
  CONSOLE_IMPORT: trueOrFalse(false).unwrap().optional(),
  CONSOLE_SESSION_MINUTES: wholeNumber(1, 10_080, 480),
  RATE_LIMIT_SIGN_INS_PER_MINUTE: wholeNumber(1, 1_000_000, 10),
  RATE_LIMIT_NEW_TOKENS_PER_MINUTE: wholeNumber(1, 1_000_000, 10),
}

type Data = z.infer<z.ZodObject<typeof consoleVariables>>

/** @throws ConfigError when only a part of an issuer's settings is given */
export function readConsole(data: Data): ConsoleConfig {
  return {
    enabled: data.CONSOLE,
    issuer: readIssuer(data),
    importing: data.CONSOLE_IMPORT,
    plansUrl: data.CONSOLE_PLANS_URL,
    sessionMinutes: data.CONSOLE_SESSION_MINUTES,
    signInsPerMinute: data.RATE_LIMIT_SIGN_INS_PER_MINUTE,
    tokensPerMinute: data.RATE_LIMIT_NEW_TOKENS_PER_MINUTE,
  }
}

function readIssuer(data: Data): SignInIssuer | undefined {
  const given = allOrNone(data, advice)
  return (
    given && {
      issuer: given.CONSOLE_ISSUER,
      audience: given.CONSOLE_AUDIENCE,
      jwksUrl: given.CONSOLE_JWKS_URL,
      signInUrl: given.CONSOLE_SIGN_IN_URL,
    }
  )
}
