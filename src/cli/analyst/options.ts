import { isIPv4 } from 'node:net'
import { InvalidArgumentError, Option } from 'commander'
import { type Host, hostOf } from '../../config/postgres-url.ts'
import { remark, warn } from '../output.ts'

/** How long a login is valid, unless it is said. */
const defaultDays = 90

export function validDaysOption(): Option {
  return new Option('--valid-days <days>', 'how long the password is valid')
    .argParser(wholeNumber(1, 3650))
    .default(defaultDays)
}

/** A parser of whole numbers from `min` to `max`. */
export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= min && number <= max)) {
      throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`)
    }
    return number
  }
}

/** Says what became of sessions that were open. */
export function remarkEnded({ ended, openBecause }: { ended: number; openBecause: string | null }): void {
  if (openBecause !== null) warn(`Open sessions could not be ended: ${openBecause}`)
  else if (ended > 0) remark(ended === 1 ? 'One open session was ended.' : `${ended} open sessions were ended.`)
}

/** Whether a host is this machine: the path of a socket, or loopback. */
function isLocal({ host }: Host): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

/** Says so when a connection string leads to another machine without asking for TLS and the server's certificate. */
export function remarkPlain(url: string): void {
  if (isLocal(hostOf(url)) || new URL(url).searchParams.get('sslmode')?.startsWith('verify-')) return
  remark(
    'It does not verify the server: set ANALYST_DATABASE_URL to where analysts reach it over TLS; see docs/analysts.md.',
  )
}
