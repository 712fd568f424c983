import { afterAll, beforeAll, expect, vi } from 'vitest'
import { startCli } from '../cli/run.ts'
import type { Cast } from '../support/cast.ts'
import { createCastDatabase } from '../support/cast-database.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'
import { type TestDatabase, testSecretKey } from '../support/server.ts'
import type { Caller, Outcome } from './load.ts'

/** The service as an operator runs it: a process of its own. */
export type ServiceProcess = {
  port: number
  /** The admin port. */
  metricsPort: number
  pid: number
  output(): string
  alive(): boolean
  signal(signal: NodeJS.Signals): void
  ended: Promise<{ status: number | null; stdout: string; stderr: string }>
  /** The value of a metric, without its prefix, with its labels. */
  metric(name: string): Promise<number>
}

const limits = { RATE_LIMITS: 'pro=1000000/1000000,studio=1000000/1000000,failed=1000000' }

/** Starts the service, or GraphQL, on a database and waits until it listens. */
export async function startProcess(
  databaseUrl: string,
  env: Record<string, string> = {},
  command: 'serve' | 'graphql' = 'serve',
): Promise<ServiceProcess> {
  const { child, ended, output } = startCli([command], {
    ...{ DATABASE_URL: databaseUrl, SECRET_KEY: testSecretKey, METRICS_PORT: '0', LOG_LEVEL: 'info' },
    ...{ PORT: '0', GRAPHQL_PORT: '0' },
    ...limits,
    ...env,
  })
  let over = false
  void ended.then(() => {
    over = true
  })
  const portIn = (message: string) => Number(new RegExp(`"port":(\\d+),"msg":"${message}"`).exec(output())?.[1] ?? 0)
  const listening = command === 'serve' ? 'listening' : 'GraphQL is listening'
  const listens = async () => {
    if (over) throw new Error(`the service ended: ${(await ended).stderr}`)
    return portIn(listening) > 0
  }
  await vi.waitUntil(listens, { timeout: 60_000, interval: 20 })
  const metricsPort = portIn('metrics are served')
  return {
    port: portIn(listening),
    metricsPort,
    pid: child.pid as number,
    output,
    alive: () => !over,
    signal: (signal) => void child.kill(signal),
    ended,
    async metric(name) {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      const line = text.split('\n').find((each) => each.startsWith(`studio_inventory_${name} `))
      return Number(line?.split(' ')[1])
    },
  }
}

export type Stage = {
  database: TestDatabase
  cast: Cast
  /** Between the service and PostgreSQL. */
  proxy: DatabaseProxy
  service: ServiceProcess
  /** Both studios, as the callers of their items. */
  callers: [a: Caller, b: Caller]
  /** Starts another; it is ended after the file. */
  start(env?: Record<string, string>): Promise<ServiceProcess>
  /** Fails unless each answer is the studio's own, or a 503 that says when to come back. */
  verify(outcome: Outcome, caller: Caller): void
}

/** Two studios, a way to their database that can break, and the service behind it. */
export function useStage(env: Record<string, string> = {}): Stage {
  const stage = {} as Stage
  const started: ServiceProcess[] = []
  beforeAll(async () => {
    Object.assign(stage, await createCastDatabase())
    stage.proxy = await openProxy(stage.database.adminUrl)
    stage.callers = [{ token: stage.cast.a.token.token }, { token: stage.cast.b.token.token }]
    stage.start = async (more = {}) => {
      const service = await startProcess(stage.proxy.reach(stage.database.adminUrl), { ...env, ...more })
      started.push(service)
      return service
    }
    stage.verify = (outcome, caller) => verify(stage, outcome, caller)
    stage.service = await stage.start()
  })
  afterAll(async () => {
    for (const service of started) {
      if (service.alive()) service.signal('SIGKILL')
      await service.ended
    }
    await stage.proxy?.close()
    await stage.database?.drop()
  })
  return stage
}

function verify({ cast, callers }: Stage, { result, text, retryAfter }: Outcome, caller: Caller): void {
  if (result === 503) expect(Number(retryAfter)).toBeGreaterThan(0)
  if (caller === callers[0]) cast.expectNoCanary(text)
  else if (result === 200) expect(text).toContain(cast.canary)
}
