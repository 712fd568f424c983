import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { listen } from '../../src/http/listener.ts'
import { endSlowReaders, hardenServer, serverOptions } from '../../src/http/server.ts'
import { makeLogger } from '../../src/log.ts'
import { docsUrl } from './support.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** A server with the service's limits, for which time runs faster. */
async function hurried(speed: number, listener: RequestListener): Promise<Server> {
  const server = createServer({ ...serverOptions, connectionsCheckingInterval: 20 }, listener)
  hardenServer(server, { docsUrl, log: makeLogger({ level: 'silent' }) })
  for (const name of ['headersTimeout', 'requestTimeout', 'keepAliveTimeout', 'timeout'] as const) {
    server[name] = Math.ceil(server[name] / speed)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  return server
}

/** Sends a text and nothing more. Returns what came back until the server closed, and after how
 * long. */
async function silentAfter(server: Server, text: string): Promise<{ answer: string; seconds(speed: number): number }> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  const begun = performance.now()
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.write(text)
  await once(socket, 'close')
  const passed = performance.now() - begun
  return { answer, seconds: (speed) => (passed * speed) / 1_000 }
}

test('a client gets an error after 15 seconds without complete headers, or 30 without a complete body', async () => {
  const speed = 10
  const server = await hurried(speed, () => undefined)
  const head = 'POST / HTTP/1.1\r\nHost: x\r\n'
  const [headers, body] = await Promise.all([
    silentAfter(server, head),
    silentAfter(server, `${head}Content-Length: 9\r\n\r\nbegun`),
  ])
  for (const { answer } of [headers, body]) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*\r\nConnection: close\r\n/s)
    expect(answer).toContain('"code":"request_timeout"')
  }
  const [first, second] = [headers.seconds(speed), body.seconds(speed)]
  expect(first).toBeGreaterThan(14)
  // Without a limit of their own headers may take as long as the body: 30 seconds.
  expect(first).toBeLessThan(27)
  expect(second).toBeGreaterThan(29)
  expect(second).toBeLessThan(55)
})

test('a connection without traffic is closed, although its response is not complete', async () => {
  const speed = 60
  const server = await hurried(speed, (_request, response) => void response.writeHead(200).write('begun'))
  const { answer, seconds } = await silentAfter(server, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(answer).toContain('begun')
  expect(seconds(speed)).toBeGreaterThan(110)
})

test('requests that a client sends at once on a connection wait for each other, and for nobody else', async () => {
  const handled: string[] = []
  const held: ServerResponse[] = []
  const server = await hurried(1, ({ url = '' }, response) => {
    handled.push(url)
    if (url === '/held') held.push(response)
    else response.end(url)
  })
  const many = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let answers = ''
  many.on('data', (chunk) => {
    answers += chunk
  })
  many.write(['/held', '/b', '/c'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
  await expect.poll(() => handled).toEqual(['/held'])
  await fetch(`http://127.0.0.1:${many.remotePort}/other`)
  expect(handled).toEqual(['/held', '/other'])
  held[0]?.end('a')
  await expect.poll(() => answers).toMatch(/\r\n\r\na.*\r\n\r\n\/b.*\r\n\r\n\/c$/s)
  expect(handled).toEqual(['/held', '/other', '/b', '/c'])
  many.destroy()
})

/** More than the system keeps for a connection. */
const answer = Buffer.alloc(32 * 1024 * 1024, 'a')

async function open(bytesPerSecond: number) {
  const server = createServer((_request, response) => response.end(answer))
  endSlowReaders(server, { stallTimeoutMs: 200, bytesPerSecond, checkIntervalMs: 50 })
  const socket = connect(await listen(server, '127.0.0.1', 0), '127.0.0.1')
  socket.on('error', () => undefined)
  const [inside] = await once(server, 'connection')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  return { socket, inside, close: () => server.close() }
}

test('a client that does not take its answer is cut', async () => {
  const { socket, inside, close } = await open(1e9)
  socket.pause()
  await once(inside, 'close')
  socket.destroy()
  close()
})

test('one that takes it is not, nor one that takes a rest afterwards', async () => {
  const { socket, inside, close } = await open(1e6)
  let taken = 0
  socket.on('data', (chunk) => {
    taken += chunk.length
  })
  await expect.poll(() => taken, { timeout: 20_000 }).toBeGreaterThanOrEqual(answer.length)
  await sleep(500)
  expect(inside.destroyed).toBe(false)
  socket.destroy()
  close()
})
