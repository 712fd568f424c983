import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type Outcome, pause, send } from './load.ts'
import { startLoad } from './steady.ts'
import { type ServiceProcess, useStage } from './support.ts'

const stage = useStage()

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** Opens connections that stay open after use, or on which a request has begun and does not end. */
async function open(service: ServiceProcess, count: number, text: string): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const socket = connect(service.port, '127.0.0.1')
    socket.on('error', () => undefined).resume()
    sockets.push(socket)
    await once(socket, 'connect')
    socket.write(text)
  }
}

const whole = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
const halfSent = () => `GET /v1/items HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stage.callers[0].token}\r\nX-`

/** A client that came after the service stopped listening lost nothing: the service took no part of
 * its request. */
const letDown = (outcomes: readonly Outcome[]) =>
  outcomes.filter(({ result }) => result !== 200 && result !== 'ECONNREFUSED')

async function timed<Result>(work: Promise<Result>): Promise<{ result: Result; ms: number }> {
  const began = performance.now()
  const result = await work
  return { result, ms: performance.now() - began }
}

test('SIGTERM under load, with idle and half-sent connections: no failed request, exit 0', async () => {
  const service = await stage.start()
  await open(service, 50, whole)
  await open(service, 20, halfSent())
  const load = startLoad(service.port, stage.callers, 16)
  await pause(1_500)
  const answered = load.outcomes.length
  service.signal('SIGTERM')
  const { result, ms } = await timed(service.ended)
  const outcomes = await load.stop()
  expect(result.status).toBe(0)
  expect(ms).toBeLessThan(10_000)
  expect(answered).toBeGreaterThan(50)
  expect(letDown(outcomes)).toEqual([])
  expect(result.stdout).toContain('"msg":"stopped"')
  expect(result.stdout).not.toContain('activity was dropped')
})

test('SIGTERM while the database is silent: the process still ends, with 0', async () => {
  const service = await stage.start()
  stage.proxy.silence()
  const waiting = Array.from({ length: 8 }, () => send(service.port, stage.callers[0]))
  await pause(300)
  service.signal('SIGTERM')
  const { result, ms } = await timed(service.ended)
  await Promise.all(waiting)
  await stage.proxy.up()
  expect(result.status).toBe(0)
  expect(ms).toBeLessThan(10_000 + 3 * 3_000 + 3_000)
})

test('a second SIGTERM ends the process at once', async () => {
  const service = await stage.start()
  stage.proxy.silence()
  const waiting = Array.from({ length: 4 }, () => send(service.port, stage.callers[0]))
  await pause(300)
  service.signal('SIGTERM')
  await pause(1_000)
  expect(service.alive()).toBe(true)
  service.signal('SIGTERM')
  const { result, ms } = await timed(service.ended)
  await Promise.all(waiting)
  await stage.proxy.up()
  expect(result.status).toBe(143)
  expect(ms).toBeLessThan(2_000)
})

test('an unhandled rejection under load is logged, fails no request, and exits with 1', async () => {
  const injected = `process.on('SIGUSR2',()=>{Promise.reject(new Error('not handled'))})`
  const service = await stage.start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(injected)}` })
  const load = startLoad(service.port, stage.callers, 8)
  await pause(700)
  service.signal('SIGUSR2')
  const result = await service.ended
  const outcomes = await load.stop()
  expect(result.status).toBe(1)
  expect(result.stdout).toMatch(/"level":"fatal".*not handled/)
  expect(letDown(outcomes)).toEqual([])
})
