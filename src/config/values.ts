import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { messageOf } from '../domain/text.ts'
import { hostOf } from './postgres-url.ts'

/** An invalid value in the environment. The message also says what is accepted. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Variables whose whole values are secrets. */
const secrets: readonly string[] = [
  'SECRET_KEY',
  'SECRET_KEY_NEXT',
  'SECRET_KEY_PREVIOUS',
  'STUDIO_INVENTORY_TOKEN',
  'CONSOLE_CLIENT_SECRET',
]

/** The error for a value that is not accepted; `advice` says what is. One line, no secrets. */
export function invalidValue(name: string, value: string | undefined, advice: string | undefined): ConfigError {
  return new ConfigError(`${name}: ${redacted(name, value)} is not valid; ${advice}`)
}

function redacted(name: string, value: string | undefined): string {
  if (value === undefined) return 'nothing'
  if (secrets.includes(name.replace(/_\d+$/, ''))) return `a text of ${value.trim().length} characters`
  const masked = /_(URLS?|ENDPOINT|ISSUER(_\d+)?)$/.test(name) ? withoutPassword(value) : value
  const line = masked.replace(/\s+/g, ' ')
  return JSON.stringify(line.length > 100 ? `${line.slice(0, 100)}…` : line)
}

/** It also works on a text that is not a URL, because the part before the last `@` may be a
 * password. */
function withoutPassword(value: string): string {
  return value.replace(/^.*@/s, '***@').replace(/(password\s*=\s*)('[^']*'|[^&\s]+)/gi, '$1***')
}

// The kinds of values that variables take. Each schema's message completes "… is not valid; ".

export function text(accepts: (value: string) => boolean, advice: string) {
  return z.string().trim().refine(accepts, advice)
}

function number(form: RegExp, min: number, max: number, advice: string) {
  return text((value) => form.test(value) && Number(value) >= min && Number(value) <= max, advice).transform(Number)
}

export function wholeNumber(min: number, max: number, defaultValue: number) {
  const advice = `give a whole number from ${min} to ${max} (${defaultValue} when not set)`
  return number(/^\d{1,10}$/, min, max, advice).default(defaultValue)
}

export function optionalPort() {
  return number(/^\d{1,5}$/, 0, 65535, 'give a port from 0 to 65535; 0 is any free one').optional()
}

export function fraction(defaultValue: number) {
  const advice = `give a share from 0 to 1 (${defaultValue} when not set)`
  return number(/^(?:0|1|[01]?\.\d{1,9})$/, 0, 1, advice).default(defaultValue)
}

export function trueOrFalse(defaultValue: boolean) {
  return z
    .string()
    .trim()
    .pipe(z.enum(['true', 'false'], { error: 'give true or false' }))
    .transform((value) => value === 'true')
    .default(defaultValue)
}

export function folder() {
  return text((value) => !value.includes('\0'), 'give the path of a folder').transform((value) => resolve(value))
}

export function host() {
  return text(
    (value) => isIP(value) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value),
    'give the address to listen on without a port, for example 127.0.0.1 or 0.0.0.0',
  ).default('127.0.0.1')
}

export function webAddress(advice: string) {
  return pageAddress(advice)
    .refine((value) => !/[?#]/.test(value), advice)
    .transform((value) => value.replace(/\/+$/, ''))
}

/** The address of a page for people; unlike a base address, it may have a query and a fragment. */
export function pageAddress(advice: string) {
  return text((value) => {
    const url = URL.parse(value)
    return url !== null && hasProtocol(value, ['http:', 'https:']) && `${url.username}${url.password}` === ''
  }, advice)
}

export function hasProtocol(value: string, protocols: string[]): boolean {
  return protocols.includes(URL.parse(value)?.protocol ?? '') && value.includes('://')
}

const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/

/** An address whose answers nobody can change in transit: https, or http on this machine. */
export function isSecureAddress(value: string): boolean {
  const url = URL.parse(value)
  if (url === null || url.username !== '' || url.password !== '') return false
  return hasProtocol(value, ['https:']) || loopback.test(value)
}

export function postgresUrl() {
  return z
    .string()
    .trim()
    .superRefine((value, context) => {
      try {
        hostOf(value)
      } catch (error) {
        context.addIssue({ code: 'custom', message: messageOf(error) })
      }
    })
}

/** The URL, with TLS and a verified server certificate unless it states its own TLS mode. */
export function verifiedByDefault(url: string): string {
  const parsed = new URL(url)
  if (!parsed.searchParams.has('sslmode')) parsed.searchParams.set('sslmode', 'verify-full')
  return parsed.href
}

/** Requests allowed to one token, in one second and in one minute. */
export type RateQuota = { perSecond: number; perMinute: number }

const standardLimits = { pro: '10/120', studio: '20/300', failed: '30', sign_ins: '10', new_tokens: '10' }

/** `name=number` pairs; `pro` and `studio` take two: second and minute. Others keep defaults. */
export function rateLimits() {
  const advice =
    'give name=number pairs, numbers from 1 to 1000000: pro and studio in a second/in a minute, the others in a minute, ' +
    'for example pro=10/120,studio=20/300,failed=30,sign_ins=10,new_tokens=10'
  return text((value) => value === '' || value.split(',').every(isLimit), advice)
    .default('')
    .transform((value) => {
      const given = Object.fromEntries(value.split(',').map((pair) => pair.split('=').map((part) => part.trim())))
      const numbers = (name: keyof typeof standardLimits) =>
        String(given[name] ?? standardLimits[name])
          .split('/')
          .map(Number)
      const quota = (name: 'pro' | 'studio'): RateQuota => {
        const [perSecond = 0, perMinute = 0] = numbers(name)
        return { perSecond, perMinute }
      }
      const one = (name: 'failed' | 'sign_ins' | 'new_tokens') => numbers(name)[0] ?? 0
      return {
        ...{ pro: quota('pro'), studio: quota('studio'), failed: one('failed') },
        ...{ signIns: one('sign_ins'), newTokens: one('new_tokens') },
      }
    })
}

function isLimit(pair: string): boolean {
  const [, name = '', numbers = ''] = /^\s*([a-z_]+)\s*=\s*([\d/]{1,20})\s*$/.exec(pair) ?? []
  const expected = Object.entries(standardLimits)
    .find(([known]) => known === name)?.[1]
    .split('/').length
  const given = numbers.split('/').map(Number)
  return given.length === expected && given.every((number) => number >= 1 && number <= 1_000_000)
}

/** The value of Express's `trust proxy` setting. */
export function trustedProxies() {
  return z
    .string()
    .transform(trustProxyValue)
    .refine(
      (value) => value !== undefined,
      'give false, true, the number of proxies, or a comma-separated list of addresses and subnets (loopback, linklocal and uniquelocal are known names)',
    )
    .transform((value) => value ?? false)
    .default(false)
}

function trustProxyValue(value: string): boolean | number | string | undefined {
  const trimmed = value.trim()
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true'
  if (/^\d{1,3}$/.test(trimmed)) return Number(trimmed)
  const parts = trimmed.split(',').map((part) => part.trim())
  return parts.every(isTrustedNetwork) ? parts.join(',') : undefined
}

function isTrustedNetwork(value: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(value)) return true
  const [address = '', bits, ...rest] = value.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** Variables that are secrets or may contain one. `NAME_FILE` names a file with the value. */
const secret =
  /^(SECRET_KEY(?:_NEXT|_PREVIOUS)?|STUDIO_INVENTORY_TOKEN|CONSOLE_CLIENT_SECRET(?:_\d+)?|OTEL_EXPORTER_OTLP_HEADERS|REDIS_URL|(?:(?:POOLER|ANALYST|AUDITOR)_)?DATABASE_URL|REPLICA_DATABASE_URLS)_FILE$/

/** The variables, with those read whose values are in files.
 * @throws ConfigError when a file cannot be read, or is empty, or the variable is set too */
export function withFiles(set: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const read: Record<string, string | undefined> = { ...set }
  for (const [variable, path = ''] of Object.entries(set)) {
    const name = secret.exec(variable)?.[1]
    if (name === undefined) continue
    if (set[name] !== undefined) throw new ConfigError(`${variable}: set together with ${name}; set one of them`)
    read[name] = contentOf(variable, path.trim())
  }
  return read
}

function contentOf(variable: string, path: string): string {
  let content: string
  try {
    content = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new ConfigError(`${variable}: cannot be read (${messageOf(error)}); give a file that this process may read`)
  }
  if (content === '') throw new ConfigError(`${variable}: ${path} is empty; write the value into it`)
  return content
}
