import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { messageOf } from '../domain/error.ts'
import { hostOf } from './postgres-url.ts'

/** The kinds of values that variables take. Each schema's message completes "… is not valid; ". */

export function text(accepts: (value: string) => boolean, advice: string) {
  return z.string().trim().refine(accepts, advice)
}

export function wholeNumber(min: number, max: number, defaultValue: number) {
  return text(
    (value) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max,
    `give a whole number from ${min} to ${max} (${defaultValue} when not set)`,
  )
    .transform(Number)
    .default(defaultValue)
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

export function webAddress(advice: string) {
  return text((value) => {
    const url = URL.parse(value)
    return (
      url !== null &&
      hasProtocol(value, ['http:', 'https:']) &&
      `${url.username}${url.password}${url.search}${url.hash}` === ''
    )
  }, advice).transform((value) => value.replace(/\/+$/, ''))
}

/** The address of a page that people are sent to; unlike a base address it may have a query and a fragment. */
export function pageAddress(advice: string) {
  return text((value) => {
    const url = URL.parse(value)
    return url !== null && hasProtocol(value, ['http:', 'https:']) && `${url.username}${url.password}` === ''
  }, advice)
}

/** A PostgreSQL URL with one host. */
export function postgresUrl() {
  return z
    .string()
    .trim()
    .transform((value, context) => {
      try {
        hostOf(value)
        return value
      } catch (error) {
        context.addIssue({ code: 'custom', message: messageOf(error) })
        return z.NEVER
      }
    })
}

/** A PostgreSQL URL that asks for TLS and the server's certificate, unless it says what it asks for. */
export function verifiedByDefault(url: string): string {
  const parsed = new URL(url)
  if (!parsed.searchParams.has('sslmode')) parsed.searchParams.set('sslmode', 'verify-full')
  return parsed.href
}

const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/

/** An address whose answers nobody can change in transit: https, or http on this machine. */
export function isSecureAddress(value: string): boolean {
  const url = URL.parse(value)
  if (url === null || url.username !== '' || url.password !== '') return false
  return hasProtocol(value, ['https:']) || loopback.test(value)
}

export function hasProtocol(value: string, protocols: string[]): boolean {
  return protocols.includes(URL.parse(value)?.protocol ?? '') && value.includes('://')
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
