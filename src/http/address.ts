import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net'
import type { Request } from 'express'

/** A proxy may send any text as an address. All clients without a valid one count as one client. */
const unreadable = 'unknown'

/** The client of a request: `key` for counting, `address` for PostgreSQL. */
export type Client = { readonly key: string; readonly address: string | null }

/** The client of a request. `request.ip` is slower without a trusted proxy. */
export function clientOf(request: Request): Client {
  const ip = request.headers['x-forwarded-for'] === undefined ? request.socket.remoteAddress : request.ip
  return { key: addressKey(ip), address: clientAddress(ip) }
}

/** The key that counts a client's failures: an IPv4 address, or an IPv6 /64 network, in which
 * one client has every address.
 * @example addressKey('2001:db8::1') // '2001:db8:0:0' */
export function addressKey(address: string | undefined): string {
  const plain = plainAddress(address)
  return isIPv6(plain) ? networkOf(plain) : plain || unreadable
}

/** A client's address for PostgreSQL's `inet`: without a zone, and as IPv4 where the socket maps
 * it to IPv6. Null: no address.
 * @example clientAddress('::ffff:203.0.113.7') // '203.0.113.7' */
export function clientAddress(address: string | undefined): string | null {
  const plain = plainAddress(address).split('%')[0] ?? ''
  return isIP(plain) === 0 ? null : plain
}

/** A plain address without port or brackets, as IPv4 if mapped to IPv6; empty for other text. */
function plainAddress(written: string | undefined): string {
  const text = (written ?? '').trim()
  if (isIPv4(text)) return text
  const address = (/^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? /^([\d.]+):\d{1,5}$/.exec(text))?.[1] ?? text
  if (!isIPv6(address)) return isIPv4(address) ? address : ''
  const [host = '', ...zone] = address.toLowerCase().split('%')
  const canonical = new SocketAddress({ address: host, family: 'ipv6' }).address
  const mapped = canonical.slice('::ffff:'.length)
  return canonical.startsWith('::ffff:') && isIPv4(mapped) ? mapped : [canonical, ...zone].join('%')
}

/** Drops ports from `X-Forwarded-For`, which some proxies write: Express compares addresses. */
export function withoutPorts(forwarded: string): string {
  return forwarded
    .split(',')
    .map((written) => plainAddress(written) || unreadable)
    .join(', ')
}

function networkOf(address: string): string {
  const [head = [], tail = []] = (address.split('%')[0] ?? '')
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
  const missing = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0')
  const groups = [...head, ...missing, ...tail].slice(0, 4)
  return groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')
}
