import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { listen } from '../../src/http/listener.ts'
import { endSlowReaders } from '../../src/http/server.ts'

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
