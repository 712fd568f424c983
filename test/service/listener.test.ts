import { once } from 'node:events'
import { createServer as createHttpServer, request, type Server } from 'node:http'
import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { findPort, ListenError, listen } from '../../src/http/listener.ts'
import { watchForDrain } from '../../src/http/server.ts'
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

describe('at its end', () => {
  /** A server that answers after `delay` milliseconds. */
  async function slowServer(
    delay: number,
  ): Promise<{ server: Server; port: number; drain: (ms: number) => Promise<void>; asked: Promise<unknown> }> {
    const server = createHttpServer((_request, response) => {
      setTimeout(() => response.end('done'), delay)
    })
    const drain = watchForDrain(server)
    return { server, port: await listen(server, '127.0.0.1', 0), drain, asked: once(server, 'request') }
  }

  function get(port: number): Promise<{ body: string; connection: string | undefined }> {
    return new Promise((resolve, reject) => {
      const asking = request({ host: '127.0.0.1', port }, async (response) =>
        resolve({ body: await text(response), connection: response.headers.connection }),
      )
      asking.on('error', reject)
      asking.end()
    })
  }

  async function timed(work: Promise<unknown>): Promise<number> {
    const began = performance.now()
    await work
    return performance.now() - began
  }

  test('a request under way gets its response, which announces the end of the connection', async () => {
    const { port, drain, asked } = await slowServer(400)
    const answer = get(port)
    await asked
    await drain(5_000)
    expect(await answer).toEqual({ body: 'done', connection: 'close' })
  })

  test('a connection that is established and not yet accepted is answered', async () => {
    const { port, drain } = await slowServer(0)
    const answer = get(port)
    // The client connects in this tick; the server would accept in the next turn of the event loop.
    await new Promise((resolve) => process.nextTick(resolve))
    await drain(5_000)
    expect(await answer).toEqual({ body: 'done', connection: 'close' })
  })

  test('a request that comes on a kept connection in the meantime is answered too', async () => {
    const { port, drain } = await slowServer(0)
    const socket = connect(port, '127.0.0.1')
    const ask = 'GET / HTTP/1.1\r\nHost: here\r\n\r\n'
    let received = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      received += chunk
    })
    socket.write(ask)
    await sleep(100)
    const draining = drain(5_000)
    await sleep(50)
    socket.write(ask)
    await draining
    expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
    expect(received.toLowerCase()).toContain('connection: close')
  })

  test('half-sent requests hold it up for a moment, a request without an answer until the time is over', async () => {
    const half = await slowServer(0)
    const socket = connect(half.port, '127.0.0.1')
    socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHo')
    await sleep(50)
    expect(await timed(half.drain(10_000))).toBeLessThan(5_000)

    const stuck = await slowServer(60_000)
    const never = get(stuck.port)
    never.catch(() => undefined)
    await sleep(50)
    const took = await timed(stuck.drain(1_500))
    expect(took).toBeGreaterThan(1_400)
    expect(took).toBeLessThan(5_000)
    await expect(never).rejects.toThrow()
  })
})
