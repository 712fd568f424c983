import type { Config } from '../config/config.ts'
import type { Logger } from '../observability/log.ts'

/**
 * Warns of TRUST_PROXY=true, with which the first address of X-Forwarded-For is the client's: clients write it themselves, unless
 * every proxy in front replaces the header. Tokens that are limited to addresses then work from anywhere.
 */
export function warnOfTrust({ trustProxy }: Pick<Config, 'trustProxy'>, log: Logger): void {
  if (trustProxy !== true) return
  const advice = 'set it to the number of proxies in front, for example TRUST_PROXY=1, or to their addresses'
  log.warn(
    { advice },
    'TRUST_PROXY=true lets clients choose their address: failed authentications count against it, and tokens that are limited to addresses are accepted by it',
  )
}
