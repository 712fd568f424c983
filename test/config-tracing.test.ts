import { expect, it } from 'vitest'
import { ConfigError, readConfig } from '../src/config/config.ts'

const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318/'

function messageOf(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  throw new Error(`accepted ${JSON.stringify(env)}`)
}

it('without the address of a collector there are no traces, whatever else is set', () => {
  expect(readConfig({}).tracing).toBeUndefined()
  expect(readConfig({ OTEL_SERVICE_NAME: 'inventory', OTEL_TRACES_SAMPLER_ARG: '0.5' }).tracing).toBeUndefined()
})

it('with it all traces are recorded, under the name of the service', () => {
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }).tracing).toEqual({
    endpoint: 'http://collector:4318',
    headers: {},
    serviceName: 'studio-inventory-api',
    share: 1,
    exportDelayMs: 1_000,
  })
})

it('name, share, delay and headers can be chosen', () => {
  const more = {
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%2Cb==, x-tenant = studio',
    OTEL_SERVICE_NAME: 'inventory',
    OTEL_TRACES_SAMPLER_ARG: '0.05',
    OTEL_BSP_SCHEDULE_DELAY: '200',
  }
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, ...more }).tracing).toEqual({
    endpoint: 'http://collector:4318',
    headers: { 'api-key': 'a,b==', 'x-tenant': 'studio' },
    serviceName: 'inventory',
    share: 0.05,
    exportDelayMs: 200,
  })
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER_ARG: '0' }).tracing).toMatchObject({ share: 0 })
})

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'OTLP over HTTP'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:hunter2@collector:4318', 'OTLP over HTTP'],
  ['OTEL_SERVICE_NAME', 'x'.repeat(256), 'at most 255'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1', 'from 0 to 1'],
  ['OTEL_TRACES_SAMPLER_ARG', '-1', 'from 0 to 1'],
  ['OTEL_BSP_SCHEDULE_DELAY', '0', 'from 1 to 60000'],
  ['OTEL_TRACES_SAMPLER_ARG', 'always_on', 'from 0 to 1'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2', 'name=value'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=hunter2%', 'name=value'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=hunter2%0D%0AHost: x', 'name=value'],
])('%s=%s is refused with what would be right, and without a secret', (name, value, advice) => {
  expect(messageOf({ [name]: value })).toMatch(new RegExp(`^${name}: .*${advice}`))
  expect(messageOf({ [name]: value })).not.toContain('hunter2')
})
