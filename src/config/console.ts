import { z } from 'zod'
import {
  ConfigError,
  invalidValue,
  isSecureAddress,
  pageAddress,
  type rateLimits,
  text,
  trueOrFalse,
  wholeNumber,
} from './values.ts'

/** An OpenID provider at which people sign in to the console. */
export type SignInIssuer = {
  /** From 1. It is part of the addresses of the issuer's sign-in, except for the first issuer. */
  number: number
  name: string
  /** The issuer identifier; the discovery document is below it. */
  issuer: string
  clientId: string
  /** Undefined: a public client. */
  clientSecret: string | undefined
  /** Separated by spaces; `openid` is among them. */
  scopes: string
  /** The claim with the e-mail address by which the service knows the user. */
  userClaim: string
  /** What the claim `email_verified` must say. `optional` accepts a missing claim; `xms_edov` checks
   * that claim instead. */
  emailVerified: 'required' | 'optional' | 'xms_edov'
}

export type ConsoleConfig = ReturnType<typeof readConsole>

const issuerAdvice =
  'give the issuer of the discovery document, https:// and without /.well-known/openid-configuration, for example https://id.example.com/realms/studio; at Microsoft with the id of your tenant, not common'
const clientAdvice = 'give the id that the provider has given to this client'

/** The first issuer has these variables. Those of the others end in `_2` to `_9`. */
const issuerVariables = {
  CONSOLE_ISSUER: text(isIssuer, issuerAdvice).optional(),
  CONSOLE_ISSUER_NAME: text(
    (value) => /^[^\p{C}]{1,40}$/u.test(value),
    'give what the sign-in page is to call the provider, in 1 to 40 characters, for example Keycloak',
  ).optional(),
  CONSOLE_CLIENT_ID: text((value) => /^[\x21-\x7e]{1,500}$/.test(value), clientAdvice).optional(),
  CONSOLE_CLIENT_SECRET: text(() => true, '').optional(),
  CONSOLE_SCOPES: text(
    (value) => /^[\x21\x23-\x5b\x5d-\x7e ]{1,500}$/.test(value) && value.split(' ').includes('openid'),
    'give the scopes to ask for, separated by spaces and with openid among them (openid email when not set)',
  ).default('openid email'),
  CONSOLE_USER_CLAIM: text(
    (value) => /^[\w.:/-]{1,200}$/.test(value),
    'give the name of the claim with the e-mail by which users are known here (email when not set)',
  ).default('email'),
  CONSOLE_EMAIL_VERIFIED: z
    .enum(['required', 'optional', 'xms_edov'], {
      error: 'give required, optional, or xms_edov for Microsoft (required when not set)',
    })
    .optional(),
}

export const consoleVariables = {
  CONSOLE: trueOrFalse(true),
  ...issuerVariables,
  CONSOLE_PLANS_URL: pageAddress(
    'give the address of the page where a studio chooses a plan, for example https://app.example.com/plans',
  ).optional(),
  CONSOLE_IMPORT: trueOrFalse(false).unwrap().optional(),
  CONSOLE_SESSION_MINUTES: wholeNumber(1, 10_080, 480),
}

type Set = Readonly<Record<string, string | undefined>>
type Data = z.infer<z.ZodObject<typeof consoleVariables>> & { RATE_LIMITS: z.infer<ReturnType<typeof rateLimits>> }

/** `set` is the environment without empty values. @throws ConfigError for a wrong issuer */
export function readConsole(data: Data, set: Set) {
  return {
    enabled: data.CONSOLE,
    /** Whether owners and admins import files. Undefined: only with the embedded server. */
    importing: data.CONSOLE_IMPORT,
    /** The identity providers. Empty: nobody can sign in, except to the embedded server's demo. */
    issuers: readIssuers(set) as readonly SignInIssuer[],
    /** The address where a studio chooses a plan. Undefined: the console says whom to ask. */
    plansUrl: data.CONSOLE_PLANS_URL,
    sessionMinutes: data.CONSOLE_SESSION_MINUTES,
    signInsPerMinute: data.RATE_LIMITS.signIns,
    tokensPerMinute: data.RATE_LIMITS.newTokens,
  }
}

const shape = z.object(issuerVariables)
const names = Object.keys(issuerVariables) as (keyof typeof issuerVariables)[]
const numbered = new RegExp(`^(${names.join('|')})_(\\d+)$`)
const most = 9

function readIssuers(set: Set): SignInIssuer[] {
  for (const name of Object.keys(set)) {
    const number = Number(numbered.exec(name)?.[2] ?? 2)
    if (number >= 2 && number <= most) continue
    throw new ConfigError(`${name}: the first issuer has no number, others have one from 2 to ${most}`)
  }
  const issuers = Array.from({ length: most }, (_, index) => readIssuer(set, index + 1) ?? []).flat()
  for (const [index, one] of issuers.entries()) {
    if (!issuers.slice(0, index).some(({ name }) => name === one.name)) continue
    throw new ConfigError(`${nameOf('CONSOLE_ISSUER_NAME', one.number)}: two issuers are called ${one.name}; name each`)
  }
  return issuers
}

const nameOf = (name: string, number: number) => (number === 1 ? name : `${name}_${number}`)

function readIssuer(set: Set, number: number): SignInIssuer | undefined {
  const named = (name: (typeof names)[number]) => nameOf(name, number)
  const given = names.filter((name) => set[named(name)] !== undefined)
  const [first] = given
  if (first === undefined) return undefined
  const parsed = shape.safeParse(Object.fromEntries(given.map((name) => [name, set[named(name)]])))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const name = named(issue?.path[0] as (typeof names)[number])
    throw invalidValue(name, set[name], issue?.message)
  }
  const { data } = parsed
  const missing = (name: (typeof names)[number], why: string) =>
    new ConfigError(`${named(name)}: not set, but needed with ${named(first)}; ${why}`)
  if (data.CONSOLE_ISSUER === undefined) throw missing('CONSOLE_ISSUER', issuerAdvice)
  if (data.CONSOLE_CLIENT_ID === undefined) throw missing('CONSOLE_CLIENT_ID', clientAdvice)
  if (data.CONSOLE_EMAIL_VERIFIED !== undefined && data.CONSOLE_USER_CLAIM !== 'email') {
    throw new ConfigError(
      `${named('CONSOLE_EMAIL_VERIFIED')}: applies only to the claim email; leave it out with ${named('CONSOLE_USER_CLAIM')}`,
    )
  }
  return {
    number,
    name: data.CONSOLE_ISSUER_NAME ?? new URL(data.CONSOLE_ISSUER).host,
    issuer: data.CONSOLE_ISSUER,
    clientId: data.CONSOLE_CLIENT_ID,
    clientSecret: data.CONSOLE_CLIENT_SECRET,
    scopes: data.CONSOLE_SCOPES,
    userClaim: data.CONSOLE_USER_CLAIM,
    emailVerified: data.CONSOLE_EMAIL_VERIFIED ?? 'required',
  }
}

function isIssuer(value: string): boolean {
  return isSecureAddress(value) && !/[?#]/.test(value) && !value.includes('/.well-known/') && !isOfAnyTenant(value)
}

/** Microsoft's addresses for every tenant: any tenant could sign in with any e-mail address. */
function isOfAnyTenant(value: string): boolean {
  return /^https:\/\/login\.microsoftonline\.com\/(common|organizations|consumers)(\/|$)/i.test(value)
}
