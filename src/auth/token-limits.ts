import { isIPv4 } from 'node:net'
import { clientAddress } from '../http/address.ts'

/** How many addresses a token's limit may have. */
const maxAddresses = 50

export class BadAddress extends Error {
  override name = 'BadAddress'
}

/** Reads addresses and networks (CIDR), separated by commas or white space, to limit a token.
 * Null: any.
 * @throws BadAddress, whose message names the first that it cannot read
 * @example readAddresses('203.0.113.7, 2001:db8::/32') // ['203.0.113.7', '2001:db8::/32'] */
export function readAddresses(text: string): string[] | null {
  const written = text.split(/[\s,]+/).filter((part) => part !== '')
  if (written.length > maxAddresses) {
    throw new BadAddress(`${written.length} addresses are too many: a token can be limited to ${maxAddresses}`)
  }
  return written.length === 0 ? null : written.map(readAddress)
}

function readAddress(written: string): string {
  const [host = '', length, ...more] = written.split('/')
  const address = host.includes('%') ? null : clientAddress(host)
  const bits = address !== null && isIPv4(address) ? 32 : 128
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits)
  if (address === null || !isLength || more.length > 0 || (length !== undefined && address !== host.toLowerCase())) {
    throw new BadAddress(
      `'${written}' is no address: write one such as 203.0.113.7 or a network such as 203.0.113.0/24`,
    )
  }
  return length === undefined ? address : `${address}/${length}`
}
