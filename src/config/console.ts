import type { z } from 'zod'
import { readSignInIssuers, type SignInIssuer, signInIssuerVariables } from './sign-in-issuers.ts'
import { pageAddress, trueOrFalse, wholeNumber } from './values.ts'

export type ConsoleConfig = {
  enabled: boolean
  /** Where people sign in. None: nobody can, but to the demo of the embedded server. */
  issuers: readonly SignInIssuer[]
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

export const consoleVariables = {
  CONSOLE: trueOrFalse(true),
  ...signInIssuerVariables,
  CONSOLE_PLANS_URL: pageAddress(
    'give the address of the page where a studio chooses a plan, for example https://app.example.com/plans',
  ).optional(),
  CONSOLE_IMPORT: trueOrFalse(false).unwrap().optional(),
  CONSOLE_SESSION_MINUTES: wholeNumber(1, 10_080, 480),
  RATE_LIMIT_SIGN_INS_PER_MINUTE: wholeNumber(1, 1_000_000, 10),
  RATE_LIMIT_NEW_TOKENS_PER_MINUTE: wholeNumber(1, 1_000_000, 10),
}

type Data = z.infer<z.ZodObject<typeof consoleVariables>>

/**
 * @param set the environment, without empty values
 * @throws ConfigError when a part of an issuer is missing or wrong
 */
export function readConsole(data: Data, set: Readonly<Record<string, string | undefined>>): ConsoleConfig {
  return {
    enabled: data.CONSOLE,
    importing: data.CONSOLE_IMPORT,
    issuers: readSignInIssuers(set),
    plansUrl: data.CONSOLE_PLANS_URL,
    sessionMinutes: data.CONSOLE_SESSION_MINUTES,
    signInsPerMinute: data.RATE_LIMIT_SIGN_INS_PER_MINUTE,
    tokensPerMinute: data.RATE_LIMIT_NEW_TOKENS_PER_MINUTE,
  }
}
