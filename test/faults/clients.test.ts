import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { pause, untilHealthy } from './load.ts'
import { startLoad } from './steady.ts'
import { type ServiceProcess, useStage } from './support.ts'

const stage = useStage()

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** A client that never ends: it sends `begin`, then `more` once a second, and may not read. */
type Slow = { begin: string; more?: string; reads: boolean }

type SlowClients = { gone(): number; stop(): void; untilGone(timeoutMs: number): Promise<void> }

async function openSlow(service: ServiceProcess, count: number, { begin, more, reads }: Slow): Promise<SlowClients> {
  let gone = 0
  const mine: Socket[] = []
  const open = async () => {
    const socket = connect(service.port, '127.0.0.1')
    socket
      .on('error', () => undefined)
      .on('close', () => {
        gone += 1
      })
    if (reads) socket.resume()
    else socket.pause()
    sockets.push(socket)
    mine.push(socket)
    await once(socket, 'connect')
    socket.write(begin)
  }
  for (let opened = 0; opened < count; opened += 50) await Promise.all(Array.from({ length: 50 }, open))
  const timer = setInterval(() => {
    for (const socket of mine) if (more !== undefined && socket.writable) socket.write(more)
  }, 1_000)
  onTestFinished(() => clearInterval(timer))
  const began = performance.now()
  return {
    gone: () => gone,
    stop: () => clearInterval(timer),
    async untilGone(timeoutMs) {
      while (gone < count && performance.now() - began < timeoutMs) await pause(100)
    },
  }
}

/** Three seconds of a normal client. */
async function measure(): Promise<ReturnType<typeof startLoad>['outcomes']> {
  const load = startLoad(stage.service.port, stage.callers, 4)
  await pause(3_000)
  return load.stop()
}

test('2,000 slow clients: a normal one is served as before, and the slow ones are cut in time', {
  timeout: 180_000,
}, async () => {
  const { service } = stage
  const authorization = `Authorization: Bearer ${stage.callers[0].token}`
  const headers = await openSlow(service, 700, {
    begin: 'GET /v1/items HTTP/1.1\r\nHost: x\r\nX-A: ',
    more: 'a',
    reads: true,
  })
  const bodies = await openSlow(service, 700, {
    begin: `GET /v1/items HTTP/1.1\r\nHost: x\r\n${authorization}\r\nContent-Length: 100000\r\n\r\n`,
    more: 'a',
    reads: true,
  })
  const readers = await openSlow(service, 600, {
    begin: `GET /v1/items HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`,
    reads: false,
  })
  const connections = await service.metric('connections')
  // This many requests at once are a crowd. The effect of slow clients shows when the service has
  // answered the crowd.
  await untilHealthy(service.port, stage.callers[0])
  const during = await measure()
  await headers.untilGone(60_000)
  await bodies.untilGone(80_000)
  headers.stop()
  bodies.stop()
  readers.stop()

  expect(connections).toBeGreaterThan(1_000)
  expect(during.filter(({ result }) => result !== 200)).toEqual([])
  expect(headers.gone()).toBe(700)
  expect(bodies.gone()).toBe(700)
  expect(service.alive()).toBe(true)
})

test('more connections than may be: the new ones are closed as they come, the others are served', async () => {
  const service = await stage.start({ MAX_CONNECTIONS: '50' })
  const load = startLoad(service.port, stage.callers, 8)
  await expect.poll(() => load.outcomes.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(100)
  const idle = await openSlow(service, 200, { begin: '', reads: true })
  for (let waited = 0; idle.gone() < 150 && waited < 100; waited += 1) await pause(100)
  await pause(500)
  const outcomes = await load.stop()
  idle.stop()
  expect(idle.gone()).toBeGreaterThanOrEqual(150)
  expect(outcomes.filter(({ result }) => result !== 200)).toEqual([])
  expect(service.output()).toContain('too many connections; new ones are closed')
})
