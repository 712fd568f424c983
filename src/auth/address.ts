import { isIP, isIPv6 } from 'node:net'
import type { Request } from 'express'

/** Longer text is not an address: a proxy may pass on anything that it receives as an "address". */
const longestAddress = 45

/** Where a request comes from: `key` for what is counted, `address` for PostgreSQL. */
export type Client = { readonly key: string; readonly address: string | null }

/** Where a request comes from. `request.ip`, which knows trusted proxies, takes longer to say the same without any. */
export function clientOf(request: Request): Client {
  const ip = request.headers['x-forwarded-for'] === undefined ? request.socket.remoteAddress : request.ip
  return { key: addressKey(ip), address: clientAddress(ip) }
}

/**
 * The key under which failures of a client are counted: an IPv4 address, or the /64 network of IPv6, in which one client has every address.
 * @example addressKey('2001:db8::1') // '2001:db8:0:0'
 */
export function addressKey(address: string | undefined): string {
  const plain = plainAddress(address)
  return isIPv6(plain) ? networkOf(plain) : plain
}

/**
 * The address of a client as PostgreSQL reads it (`inet`): IPv4 also where the socket says IPv6, without a zone. Null: no address.
 * @example clientAddress('::ffff:203.0.113.7') // '203.0.113.7'
 */
export function clientAddress(address: string | undefined): string | null {
  const plain = plainAddress(address).split('%')[0] ?? ''
  return isIP(plain) === 0 ? null : plain
}

function plainAddress(address: string | undefined): string {
  const text = (address ?? '').slice(0, longestAddress).toLowerCase()
  return text.startsWith('::ffff:') && text.includes('.') ? text.slice('::ffff:'.length) : text
}

function networkOf(address: string): string {
  const [head = [], tail = []] = (address.split('%')[0] ?? '')
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
  const missing = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0')
  const groups = [...head, ...missing, ...tail].slice(0, 4)
  return groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')
}
