import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { makeLogger } from '../../src/log.ts'
import { refuseOpenDemo, warnOfTrust } from '../../src/process/service.ts'

function warnings(trustProxy: boolean | number | string): string[] {
  const lines: string[] = []
  warnOfTrust({ trustProxy }, makeLogger({ level: 'info', stream: { write: (line) => void lines.push(line) } }))
  return lines
}

test('TRUST_PROXY=true, which lets clients choose their address, is warned about with what to set instead', () => {
  expect(warnings(true)).toEqual([
    expect.stringMatching(/"level":"warn".*TRUST_PROXY=1.*lets clients choose their address.*tokens that are limited/),
  ])
})

test.each([false, 1, 'loopback'])('%s is not', (trustProxy) => {
  expect(warnings(trustProxy)).toEqual([])
})

const own = {
  DATABASE_URL: 'postgresql://db.example.com/studio_inventory',
  SECRET_KEY: 'a secret key that is long enough',
}

test.each([
  ['::', {}, true],
  ['0.0.0.0', {}, true],
  ['192.168.1.20', {}, true],
  ['::', { DEMO_ON_NETWORK: 'true' }, false],
  ['::', { CONSOLE: 'false' }, false],
  ['::', own, false],
  ['127.0.0.1', {}, false],
  ['::1', {}, false],
  ['localhost', {}, false],
])(
  'on %s with %o other machines may not sign in to the demo without a password: refused is %s',
  (HOST, more, isRefused) => {
    const start = () => refuseOpenDemo(readConfig({ HOST, ...more }))
    if (isRefused) expect(start).toThrow(/^HOST: .*DEMO_ON_NETWORK=true/)
    else expect(start).not.toThrow()
  },
)
