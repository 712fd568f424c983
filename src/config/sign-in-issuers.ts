import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { ConfigError } from './error.ts'
import { invalidValue } from './redact.ts'
import { isSecureAddress, text, trueOrFalse } from './values.ts'

/** An OpenID provider at which people sign in to the console. */
export type SignInIssuer = {
  /** From 1: part of the addresses of its sign-in, except for the first. */
  number: number
  /** What the sign-in page calls it. */
  name: string
  /** Its issuer identifier; the discovery document is below it. */
  issuer: string
  clientId: string
  /** Undefined: a public client. */
  clientSecret: string | undefined
  /** How the secret is sent; undefined: as the provider's metadata says. */
  clientAuthentication: 'post' | 'basic' | undefined
  /** Separated by spaces; `openid` is among them. */
  scopes: string
  /** The claim that has the e-mail by which the user is known here. */
  userClaim: string
  /** What `email_verified` has to be: true; for `optional` true or missing; for `xms_edov` that claim counts instead. */
  emailVerified: 'required' | 'optional' | 'xms_edov'
  /** Whether signing out of the console signs out at the provider too. */
  logout: boolean
}

const advice = {
  issuer:
    'give the issuer of the discovery document, https:// and without /.well-known/openid-configuration, for example https://id.example.com/realms/studio; at Microsoft with the id of your tenant, not common',
  clientId: 'give the id that the provider has given to this client',
  file: 'give the path of a readable file with the secret and nothing else',
}

/** The variables of the first issuer; those of others end in `_2` to `_9`. */
export const signInIssuerVariables = {
  CONSOLE_ISSUER: text(isIssuer, advice.issuer).optional(),
  CONSOLE_ISSUER_NAME: text(
    (value) => /^[^\p{C}]{1,40}$/u.test(value),
    'give what the sign-in page is to call the provider, in 1 to 40 characters, for example Keycloak',
  ).optional(),
  CONSOLE_CLIENT_ID: text((value) => /^[\x21-\x7e]{1,500}$/.test(value), advice.clientId).optional(),
  CONSOLE_CLIENT_SECRET: text(() => true, '').optional(),
  CONSOLE_CLIENT_SECRET_FILE: text((value) => !value.includes('\0'), advice.file).optional(),
  CONSOLE_CLIENT_AUTHENTICATION: z
    .enum(['post', 'basic'], { error: 'give post or basic (what the provider offers when not set)' })
    .optional(),
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
  CONSOLE_ISSUER_LOGOUT: trueOrFalse(true),
}

const shape = z.object(signInIssuerVariables)
const names = Object.keys(signInIssuerVariables) as (keyof typeof signInIssuerVariables)[]
const numbered = new RegExp(`^(${names.join('|')})_(\\d+)$`)
const most = 9

/** Variables of the sign-in that there was before. */
const removed = ['CONSOLE_AUDIENCE', 'CONSOLE_JWKS_URL', 'CONSOLE_SIGN_IN_URL']

/**
 * Reads all issuers of the console, and the secrets that are in files.
 *
 * @param set the environment, without empty values
 * @throws ConfigError with the name of the variable, with its number
 */
export function readSignInIssuers(set: Readonly<Record<string, string | undefined>>): SignInIssuer[] {
  for (const name of removed) {
    if (set[name] === undefined) continue
    throw new ConfigError(
      `${name}: not used any more; the console itself is a client of CONSOLE_ISSUER, with CONSOLE_CLIENT_ID: docs/console.md`,
    )
  }
  for (const name of Object.keys(set)) {
    const number = Number(numbered.exec(name)?.[2] ?? 2)
    if (number >= 2 && number <= most) continue
    throw new ConfigError(`${name}: the first issuer has no number, others have one from 2 to ${most}`)
  }
  const issuers = Array.from({ length: most }, (_, index) => readOne(set, index + 1)).filter((one) => one !== undefined)
  for (const [index, one] of issuers.entries()) {
    if (!issuers.slice(0, index).some(({ name }) => name === one.name)) continue
    throw new ConfigError(`${nameOf('CONSOLE_ISSUER_NAME', one.number)}: two issuers are called ${one.name}; name each`)
  }
  return issuers
}

const nameOf = (name: string, number: number) => (number === 1 ? name : `${name}_${number}`)

function readOne(set: Readonly<Record<string, string | undefined>>, number: number): SignInIssuer | undefined {
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
  if (data.CONSOLE_ISSUER === undefined) throw missing('CONSOLE_ISSUER', advice.issuer)
  if (data.CONSOLE_CLIENT_ID === undefined) throw missing('CONSOLE_CLIENT_ID', advice.clientId)
  if (data.CONSOLE_EMAIL_VERIFIED !== undefined && data.CONSOLE_USER_CLAIM !== 'email') {
    throw new ConfigError(
      `${named('CONSOLE_EMAIL_VERIFIED')}: is about the claim email alone; leave it out with ${named('CONSOLE_USER_CLAIM')}`,
    )
  }
  return {
    number,
    name: data.CONSOLE_ISSUER_NAME ?? new URL(data.CONSOLE_ISSUER).host,
    issuer: data.CONSOLE_ISSUER,
    clientId: data.CONSOLE_CLIENT_ID,
    clientSecret: secretOf(data, named),
    clientAuthentication: data.CONSOLE_CLIENT_AUTHENTICATION,
    scopes: data.CONSOLE_SCOPES,
    userClaim: data.CONSOLE_USER_CLAIM,
    emailVerified: data.CONSOLE_EMAIL_VERIFIED ?? 'required',
    logout: data.CONSOLE_ISSUER_LOGOUT,
  }
}

function secretOf(data: z.infer<typeof shape>, named: (name: (typeof names)[number]) => string): string | undefined {
  const { CONSOLE_CLIENT_SECRET: secret, CONSOLE_CLIENT_SECRET_FILE: file } = data
  const name = named('CONSOLE_CLIENT_SECRET_FILE')
  if (file === undefined) return secret
  if (secret !== undefined) throw new ConfigError(`${name}: set together with the secret itself; give one of them`)
  try {
    const content = readFileSync(file, 'utf8').trim()
    if (content !== '') return content
  } catch {
    throw invalidValue(name, file, advice.file)
  }
  throw new ConfigError(`${name}: the file is empty; ${advice.file}`)
}

function isIssuer(value: string): boolean {
  return isSecureAddress(value) && !/[?#]/.test(value) && !value.includes('/.well-known/') && !isOfAnyTenant(value)
}

/** Microsoft's addresses for every tenant: whoever has a tenant could sign in with any e-mail. */
function isOfAnyTenant(value: string): boolean {
  return /^https:\/\/login\.microsoftonline\.com\/(common|organizations|consumers)(\/|$)/i.test(value)
}
