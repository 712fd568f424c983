import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { generous } from '../support/service.ts'
import { useTool } from './demo.ts'
import { project, recipes, run } from './tools.ts'

/** The recipe for dlt, checked without the tool: the API has what it requests. */
type Description = { paths: Record<string, { get: { parameters: { name: string }[] } }> }
let description: Description
const demo = useTool({ limits: generous })
beforeAll(async () => {
  description = parse(await readFile(join(project, 'docs/openapi.yaml'), 'utf8'))
})

const parametersOf = (path: string) => JSON.stringify(description.paths[path]?.get.parameters ?? '')
const page = async (path: string) =>
  (await demo.service.get<{ data: Record<string, unknown>[] }>(`/v1${path}?per_page=100`, { token: demo.token })).json

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
