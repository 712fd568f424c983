import { readConfig } from '../../src/config/config.ts'
import type { Reply } from '../support/client.ts'
import type { TestService } from '../support/service.ts'

/** What the service has when nothing is configured. */
export const standard = readConfig({}).rateLimits

/** The standard limits, with one of the two windows out of the way. */
export const only = (window: 'perSecond' | 'perMinute') => {
  const other = window === 'perSecond' ? 'perMinute' : 'perSecond'
  return {
    ...standard,
    pro: { ...standard.pro, [other]: 1_000_000 },
    studio: { ...standard.studio, [other]: 1_000_000 },
  }
}

export const burst = (service: TestService, count: number, token: string, path = '/v1/account') =>
  Promise.all(Array.from({ length: count }, () => service.get(path, { token })))
export const statuses = (replies: Reply[]) => replies.map(({ status }) => status).toSorted()
export const expected = (passed: number, refused: number) => [...Array(passed).fill(200), ...Array(refused).fill(429)]
