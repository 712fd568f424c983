import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { startCli } from '../cli/run.ts'
import { createClient } from '../support/client.ts'
import { testSecretKey } from '../support/server.ts'
import { useWorld } from '../support/world.ts'
import { openCollector } from '../tracing/collector.ts'

const world = useWorld()

type Process = { get(path: string): Promise<{ status: number; id: string }>; output(): string; end(): Promise<Ended> }
type Ended = { status: number | null; stdout: string; stderr: string }

const running: ReturnType<typeof startCli>[] = []
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL')
    await ended
  }
})

/** The service, with the modules of OpenTelemetry that it loads on standard error. */
async function start(env: Record<string, string> = {}): Promise<Process> {
  const watched = `--import=${pathToFileURL(join(import.meta.dirname, 'loaded.mjs')).href}`
  const started = startCli(['serve'], {
    ...{ DATABASE_URL: world.database.adminUrl, SECRET_KEY: testSecretKey, PORT: '0', NODE_OPTIONS: watched },
    ...env,
  })
  running.push(started)
  const port = () => Number(/"port":(\d+),"msg":"listening"/.exec(started.output())?.[1] ?? 0)
  await vi.waitFor(() => expect(port()).toBeGreaterThan(0), 20_000)
  const client = createClient(port())
  return {
    async get(path) {
      const { status, headers } = await client.get(path, { token: world.cast.a.token.token })
      return { status, id: String(headers['x-request-id']) }
    },
    output: started.output,
    async end() {
      client.close()
      started.child.kill('SIGTERM')
      return started.ended
    },
  }
}

test('without the address of a collector nothing of OpenTelemetry is loaded', async () => {
  const service = await start({ OTEL_SERVICE_NAME: 'inventory', GRAPHQL_PORT: '0' })
  expect((await service.get('/v1/items')).status).toBe(200)
  expect(await service.end()).toMatchObject({ status: 0, stderr: '' })
})

test('a process that ends exports what waits', async () => {
  const collector = await openCollector()
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_SERVICE_NAME: 'inventory' })
  const { id } = await service.get('/v1/items')
  const ended = await service.end()
  expect(ended.status).toBe(0)
  expect(ended.stderr).toContain('@opentelemetry/sdk-trace')
  const names = collector.traceOf(id).map(({ name }) => name)
  await collector.close()
  // The first request of a token has a statement of its own that finds the studio.
  expect(names).toEqual(['GET /v1/items', 'access.authenticate_batch', 'api_v1.list_items'])
})

test('a collector that never answers delays the end of the process by two seconds and no longer', async () => {
  const collector = await openCollector()
  collector.answer('never')
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
  expect((await service.get('/v1/items')).status).toBe(200)
  const ended = await service.end()
  await collector.close()
  const lines = ended.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  const at = (message: string) => Date.parse(lines.find(({ msg }) => msg === message)?.time)
  expect(ended.status).toBe(0)
  expect(at('the last traces were not exported in time') - at('stopping')).toBeGreaterThan(1_900)
  expect(at('stopped') - at('the last traces were not exported in time')).toBeLessThan(10_000)
})
