import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { listen } from '../../src/http/listener.ts'
import { watchForDrain } from '../../src/http/server.ts'

/** A server that answers after `delay` milliseconds. */
async function slowServer(
  delay: number,
): Promise<{ server: Server; port: number; drain: (ms: number) => Promise<void>; asked: Promise<unknown> }> {
  const server = createServer((_request, response) => {
    setTimeout(() => response.end('done'), delay)
  })
  const drain = watchForDrain(server)
  return { server, port: await listen(server, '127.0.0.1', 0), drain, asked: once(server, 'request') }
}

function get(port: number): Promise<{ body: string; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port }, (response) => {
      let body = ''
      response.on('data', (text) => {
        body += text
      })
      response.on('end', () => resolve({ body, connection: response.headers.connection }))
    })
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
  socket.setEncoding('utf8').on('data', (text) => {
    received += text
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
