import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { generous } from '../support/service.ts'
import { makeBusy } from './busy.ts'
import { useTool } from './demo.ts'
import { project, recipes, run } from './tools.ts'

/** Recipes for n8n, Airbyte, dlt and Meltano, checked without the tools: the API has what they
 * request. */
type Description = { paths: Record<string, { get: { parameters: { name: string }[] } }> }
let description: Description
const demo = useTool({ limits: generous })
beforeAll(async () => {
  description = parse(await readFile(join(project, 'docs/openapi.yaml'), 'utf8'))
})

const read = (file: string) => readFile(join(recipes, file), 'utf8')
const parametersOf = (path: string) => JSON.stringify(description.paths[path]?.get.parameters ?? '')
type N8nResponse = { statusCode: number; headers: Record<string, string>; body: { data: Record<string, unknown>[] } }

/** The request of n8n's workflow, and how n8n evaluates an expression in it. */
async function n8n() {
  const workflow = JSON.parse(await read('n8n/workflow.json'))
  const { parameters } = workflow.nodes.find(({ type }: { type: string }) => type === 'n8n-nodes-base.httpRequest')
  const { nextURL, completeExpression, requestInterval } = parameters.options.pagination.pagination
  const firstUrl = parameters.url.replace('http://localhost:3000', demo.service.url)
  return { workflow, parameters, firstUrl, nextURL, completeExpression, requestInterval }
}
function evaluate(expression: string, $response: object = {}) {
  const [, body] = /^=\{\{ (.*) \}\}$/.exec(expression) ?? []
  return new Function('$response', `return (${body})`)($response)
}
async function fetchAsN8n(url: string, token: string): Promise<N8nResponse> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } })
  const body = (await response.json()) as N8nResponse['body']
  return { statusCode: response.status, headers: Object.fromEntries(response.headers), body }
}
const page = async (path: string) =>
  (await demo.service.get<{ data: Record<string, unknown>[] }>(`/v1${path}?per_page=100`, { token: demo.token })).json

test('n8n: the workflow follows every page, as n8n sends its requests, and ends', async () => {
  const { parameters, workflow, firstUrl, nextURL, completeExpression, requestInterval } = await n8n()
  expect(60_000 / requestInterval).toBeLessThan(120)
  expect(parametersOf('/items')).toContain('per_page')
  // n8n appends the parameters of the node to the address of every page, by axios.
  const query: { name: string; value: string }[] = parameters.queryParameters?.parameters ?? []
  const asked = (url: string) =>
    query.reduce((to, { name, value }) => `${to}${to.includes('?') ? '&' : '?'}${name}=${value}`, url)
  let url = firstUrl
  const names: unknown[] = []
  for (let pages = 1; ; pages++) {
    const $response = await fetchAsN8n(asked(url), demo.token)
    expect($response.statusCode, JSON.stringify($response.body)).toBe(200)
    names.push(...$response.body.data)
    if (evaluate(completeExpression, $response)) {
      expect(pages).toBe(3)
      break
    }
    url = evaluate(nextURL, $response)
  }
  expect(names).toHaveLength(250)
  const named = workflow.nodes.map(({ name }: { name: string }) => name)
  for (const [from, { main }] of Object.entries<{ main: { node: string }[][] }>(workflow.connections)) {
    expect(named).toEqual(expect.arrayContaining([from, ...main.flat().map(({ node }) => node)]))
  }
})

test('n8n: a refusal is not the end of a list', async () => {
  const { firstUrl, completeExpression } = await n8n()
  const unknown = await fetchAsN8n(firstUrl, 'svc_studio_unknown')
  const busy = await makeBusy(demo.service.url)
  const answers = []
  for (let count = 0; count < 3; count++) answers.push(await fetchAsN8n(`${busy.address}/v1/items`, demo.token))
  await busy.close()
  const tooFast = answers.at(-1)
  expect([unknown.statusCode, tooFast?.statusCode]).toEqual([401, 429])
  for (const refusal of [unknown, tooFast, { ...tooFast, statusCode: 503 }]) {
    expect({ refusal, complete: evaluate(completeExpression, refusal) }).toEqual({ refusal, complete: false })
  }
})

test('Airbyte: each stream is a list whose records have exactly its fields, of its types', async () => {
  type Schema = { properties: Record<string, { type: string[] }> }
  type Stream = { name: string; primary_key: string[]; schema_loader: { schema: Schema } }
  const manifest = parse(await read('airbyte/manifest.yaml')) as { streams: Stream[] }
  const lists = ['items', 'valuations', 'locations', 'maintenance', 'policies', 'removals']
  expect(manifest.streams.map(({ name }) => name)).toEqual(lists)
  for (const { name, primary_key, schema_loader } of manifest.streams) {
    const { properties } = schema_loader.schema
    expect(parametersOf(`/${name}`)).toContain('per_page')
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(primary_key))
    const { data } = await page(`/${name}`)
    expect(data.length).toBeGreaterThan(0)
    for (const record of data) {
      expect(Object.keys(record).toSorted()).toEqual(Object.keys(properties).toSorted())
      for (const [field, value] of Object.entries(record)) {
        const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
        expect(properties[field]?.type, `${name}.${field}`).toContain(type)
      }
    }
  }
})

test('dlt: what the script asks for is in the API', async () => {
  const program = `
import json, sys, types
dlt, sources, rest = types.ModuleType('dlt'), types.ModuleType('dlt.sources'), types.ModuleType('dlt.sources.rest_api')
rest.rest_api_source = lambda config: config
sys.modules.update({'dlt': dlt, 'dlt.sources': sources, 'dlt.sources.rest_api': rest})
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import pipeline
print(json.dumps(pipeline.studio_inventory('http://x', 'token')))`
  const { status, stdout, stderr } = await run('python3', ['-c', program, join(recipes, 'dlt')])
  expect(status, stderr).toBe(0)
  const config = JSON.parse(stdout)
  const auth = { type: 'bearer', token: 'token' }
  expect(config.client).toEqual({ base_url: 'http://x/v1/', auth, paginator: { type: 'header_link' } })
  const removals = config.resources.find(({ name }: { name: string }) => name === 'removals')
  expect(removals.write_disposition ?? config.resource_defaults.write_disposition).toBe('merge')
  for (const { endpoint } of config.resources) {
    const [record] = (await page(`/${endpoint.path}`)).data
    expect(parametersOf(`/${endpoint.path}`)).toContain('per_page')
    if (endpoint.incremental === undefined) continue
    const { cursor_path, start_param, initial_value } = endpoint.incremental
    expect(parametersOf(`/${endpoint.path}`)).toContain(start_param)
    expect(record).toHaveProperty(cursor_path)
    const path = `/v1/${endpoint.path}?${start_param}=${initial_value}`
    expect((await demo.service.get(path, { token: demo.token })).status).toBe(200)
  }
})

test('Meltano: the lists are there, and are walked by the member that the tap reads', async () => {
  const { plugins } = parse(await read('meltano/meltano.yml'))
  const [{ config }] = plugins.extractors
  for (const { path, primary_keys } of config.streams) {
    expect(Object.keys((await page(path)).data[0] ?? {})).toEqual(expect.arrayContaining(primary_keys))
    expect(parametersOf(path)).toContain(config.pagination_next_page_param)
  }
  expect(config.next_page_token_path).toBe('$.meta.next_page')
  const { meta } = (await demo.service.get<{ meta: object }>('/v1/items?per_page=100', { token: demo.token })).json
  expect(meta).toHaveProperty('next_page', 2)
})
