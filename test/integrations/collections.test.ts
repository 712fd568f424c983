import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { generous } from '../support/service.ts'
import { makeBusy } from './busy.ts'
import { useTool } from './demo.ts'
import { recipes, runTool } from './tools.ts'

const calm = useTool({ limits: generous })
/** The same service, that says of every third request that it came too fast. */
let busy: { address: string; close(): Promise<void> }
beforeAll(async () => {
  busy = await makeBusy(calm.service.url)
})
afterAll(() => busy?.close())

/** A request that was sent: its path, the status of the answer, and the total that a list said. */
type Sent = { path: string; status: number; total?: number | undefined }
const totalsOf = (sent: Sent[]) =>
  Object.fromEntries(sent.filter(({ status }) => status === 200).map(({ path, total }) => [path, total]))
const shapeOf = (path: string) => path.replace(/[\da-f-]{36}/, '{id}')

const expectEach = (paths: string[]) =>
  expect(paths.map(shapeOf).toSorted()).toEqual(operations.map(({ path }) => path).toSorted())

function expectAll(sent: Sent[]): void {
  expectEach(sent.filter(({ status }) => status === 200).map(({ path }) => path))
  expect(new Set(sent.map(({ status }) => status)), 'it was too fast, and waited').toEqual(new Set([200, 429]))
  expect(totalsOf(sent)).toMatchObject({ '/items': 250, '/locations': 8, '/maintenance': 117, '/policies': 7 })
}

test('Postman: every request answers 200 with nothing but the address and the token set', async () => {
  const report = join(calm.folder, 'newman.json')
  const { status, stdout } = await runTool('newman', [
    'run',
    join(recipes, 'postman/studio-inventory.postman_collection.json'),
    ...['--env-var', `base_url=${busy.address}`, '--env-var', `token=${calm.token}`],
    ...['--reporters', 'cli,json', '--reporter-json-export', report],
  ])
  expect(status, stdout).toBe(0)
  const { run } = JSON.parse(await readFile(report, 'utf8'))
  type Execution = { request: { url: { path: string[] } }; response: { code: number; stream: { data: number[] } } }
  const sent = run.executions.map(({ request, response }: Execution) => ({
    path: `/${request.url.path.slice(1).join('/')}`,
    status: response.code,
    total: JSON.parse(Buffer.from(response.stream.data).toString()).meta?.total,
  }))
  expectAll(sent)
  expect(run.stats.assertions).toMatchObject({ total: operations.length, failed: 0 })
})

test('Postman imports the description by its address: every request answers 200 when optional parameters are off, and the token and the ids are set', async () => {
  const firstOf = async (list: string) => {
    const { json } = await calm.service.get<{ data: { id: string }[] }>(`/v1/${list}`, { token: calm.token })
    return json.data[0]?.id ?? ''
  }
  const [item, policy] = [await firstOf('items'), await firstOf('policies')]
  const source = join(calm.folder, 'openapi.json')
  await writeFile(source, await (await fetch(`${calm.service.url}/openapi.json`)).text())
  const file = join(calm.folder, 'imported-postman.json')
  const options = ['-s', source, '-o', file, '-O', 'enableOptionalParameters=false']
  const converted = await runTool('openapi2postmanv2', options)
  expect(converted.status, converted.stdout + converted.stderr).toBe(0)
  type Entry = { item?: Entry[]; request?: { url: { path: string[]; variable?: { key: string; value: string }[] } } }
  const collection: Entry = JSON.parse(await readFile(file, 'utf8'))
  const setIds = ({ item: inner = [], request }: Entry): void => {
    for (const variable of request?.url.variable ?? []) {
      if (variable.key === 'id') variable.value = request?.url.path[0] === 'items' ? item : policy
    }
    inner.forEach(setIds)
  }
  setIds(collection)
  await writeFile(file, JSON.stringify(collection))
  const report = join(calm.folder, 'imported-newman.json')
  const { stdout } = await runTool('newman', [
    ...['run', file, '--env-var', `bearerToken=${calm.token}`],
    ...['--reporters', 'cli,json', '--reporter-json-export', report],
  ])
  type Execution = { request: { url: { path: string[] } }; response: { code: number } }
  const { executions }: { executions: Execution[] } = JSON.parse(await readFile(report, 'utf8')).run
  expect(new Set(executions.map(({ response }) => response.code)), stdout).toEqual(new Set([200]))
  expectEach(executions.map(({ request }) => `/${request.url.path.slice(1).join('/')}`))
})
