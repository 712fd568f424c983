import { expect, test } from 'vitest'
import { makeLogger } from '../../src/log.ts'
import { warnOfTrust } from '../../src/process/service.ts'

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
