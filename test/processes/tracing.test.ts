import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startProcess } from '../faults/support.ts'
import { createClient } from '../support/client.ts'
import { useWorld } from '../support/world.ts'
import { openCollector } from '../tracing/collector.ts'

const world = useWorld()

/** The service, with the modules of OpenTelemetry that it loads on standard error. */
async function start(env: Record<string, string> = {}) {
  const watched = `--import=${pathToFileURL(join(import.meta.dirname, 'loaded.mjs')).href}`
  const service = await startProcess(world.database.adminUrl, { NODE_OPTIONS: watched, METRICS_PORT: '', ...env })
  onTestFinished(() => service.signal('SIGKILL'))
  const client = createClient(service.port)
  return {
    async get(path: string) {
      const { status, headers } = await client.get(path, { token: world.cast.a.token.token })
      return { status, id: String(headers['x-request-id']) }
    },
    end() {
      client.close()
      service.signal('SIGTERM')
      return service.ended
    },
  }
}

test('without the address of a collector nothing of OpenTelemetry is loaded', async () => {
  const service = await start({ OTEL_SERVICE_NAME: 'inventory' })
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
