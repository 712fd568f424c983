import { BlockList, isIPv4 } from 'node:net'
import { clientAddress } from '../http/address.ts'

/** How many addresses a token's limit may have. */
const maxAddresses = 50

export class BadAddress extends Error {
  override name = 'BadAddress'
}

/** Reads addresses and networks (CIDR), separated by commas or white space, to limit a token.
 * Null: any.
 * @throws BadAddress, whose message names all that it cannot read
 * @example readAddresses('203.0.113.7, 2001:db8::/32') // ['203.0.113.7', '2001:db8::/32'] */
export function readAddresses(text: string): string[] | null {
  const written = text.split(/[\s,]+/).filter((part) => part !== '')
  if (written.length > maxAddresses) {
    throw new BadAddress(`${written.length} addresses are too many: a token can be limited to ${maxAddresses}`)
  }
  const read = written.map(readAddress)
  const wrong = [...new Set(written.filter((_, index) => read[index] === null))].map((text) => `'${text}'`)
  if (wrong.length > 0) {
    const what = wrong.length === 1 ? 'is not a valid IP address' : 'are not valid IP addresses'
    throw new BadAddress(
      `${new Intl.ListFormat('en').format(wrong)} ${what}: write one such as 203.0.113.7 or a network such as 203.0.113.0/24`,
    )
  }
  return read.length === 0 ? null : read.filter((address) => address !== null)
}

/** Returns null if the text is neither an address nor a network. */
function readAddress(written: string): string | null {
  const [host = '', length, ...more] = written.split('/')
  const address = host.includes('%') ? null : clientAddress(host)
  const bits = address !== null && isIPv4(address) ? 32 : 128
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits)
  if (address === null || !isLength || more.length > 0 || (length !== undefined && address !== host.toLowerCase())) {
    return null
  }
  return length === undefined ? address : `${address}/${length}`
}

/** Whether one of a token's addresses and networks contains a client's address. */
export function containsAddress(allowed: readonly string[], client: string): boolean {
  const list = new BlockList()
  const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6')
  for (const written of allowed) {
    const [address = '', length] = written.split('/')
    const family = familyOf(address)
    if (length === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(length), family)
  }
  return list.check(client, familyOf(client))
}
