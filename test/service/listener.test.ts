import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { findPort, ListenError, listen } from '../../src/http/listener.ts'
import { refuseOpenDemo, warnOfTrust } from '../../src/service/service.ts'
import { keepLog } from '../support/log.ts'

test('a taken port is refused in words that say what to do', async () => {
  const server = createServer()
  const port = await listen(server, '127.0.0.1', 0)
  await expect(findPort('127.0.0.1', port)).rejects.toThrow(ListenError)
  await expect(findPort('127.0.0.1', port)).rejects.toThrow(`port ${port} is taken: set PORT to another`)
  server.close()
})

test('an address of another machine is refused in words that say what to do', async () => {
  await expect(findPort('192.0.2.1', 0)).rejects.toThrow('192.0.2.1 is not an address of this machine: set HOST')
})

describe('once it listens', () => {
  const failed = (code: string) => Object.assign(new Error(`accept ${code}`), { code })
  async function listening() {
    const { log, lines } = keepLog('info')
    const server = createServer()
    const port = await listen(server, '127.0.0.1', 0, 'PORT', log)
    onTestFinished(() => void server.close())
    return { server, port, lines }
  }

  test.each(['EMFILE', 'ENOBUFS'])(
    'a connection that %s keeps from being accepted is logged with what to do, and the service continues',
    async (code) => {
      const { server, lines } = await listening()
      server.emit('error', failed(code))
      server.emit('error', failed(code))
      const advice = expect.stringContaining('MAX_CONNECTIONS')
      expect(lines).toMatchObject([{ level: 'error', code, msg: 'a connection could not be accepted', advice }])
      expect(server.listening).toBe(true)
    },
  )

  test('any other error of the socket is thrown, in words that name the port', async () => {
    const { server, port, lines } = await listening()
    expect(() => server.emit('error', failed('EINVAL'))).toThrow(
      `port ${port} can no longer be listened on: accept EINVAL`,
    )
    expect(lines).toEqual([])
  })
})

test('TRUST_PROXY=true, which lets clients choose their address, is warned about with what to set instead', () => {
  const { log, lines } = keepLog('info')
  for (const trustProxy of [false, 1, 'loopback', true]) warnOfTrust({ trustProxy }, log)
  const said = /"level":"warn".*TRUST_PROXY=1.*lets clients choose their address.*tokens that are limited/
  expect(lines.map((line) => JSON.stringify(line))).toEqual([expect.stringMatching(said)])
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
