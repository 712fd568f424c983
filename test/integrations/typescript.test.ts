import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { useTool } from './demo.ts'
import { project, recipes, run, runTool } from './tools.ts'

const demo = useTool()
let folder: string
let description: string
beforeAll(async () => {
  folder = demo.folder
  await cp(join(recipes, 'typescript'), folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await symlink(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'))
  description = `${demo.service.url}/openapi.json`
  const generated = [
    await runTool('openapi-typescript', [description, '-o', 'generated/api.d.ts'], { cwd: folder }),
    await runTool('openapi-ts', ['-i', description, '-o', 'generated/hey-api'], { cwd: folder }),
    await runTool(
      'swagger-typescript-api',
      ['generate', '-p', join(project, 'docs/openapi-2.0.json'), '-o', 'generated', '-n', 'swagger.ts'],
      { cwd: folder },
    ),
  ]
  for (const { status, stdout, stderr } of generated) expect(status, stdout + stderr).toBe(0)
})

const compile = () => runTool('tsc', ['--project', folder])
const env = () => ({ API_URL: demo.service.url, TOKEN: demo.token })

test('the programs compile, strict', async () => {
  expect(await compile()).toEqual({ status: 0, stdout: '', stderr: '' })
})

describe.each(['with-openapi-typescript', 'with-hey-api', 'with-swagger-typescript-api'])('%s', (name) => {
  test('reads every item once and adds up what was paid', async () => {
    const [{ paid }] = await demo.sql<{ paid: number }>('select sum(purchase_price)::float8 as paid from api_v1.items')
    const { status, stdout, stderr } = await run(process.execPath, [join(folder, 'built', `${name}.js`)], {
      env: env(),
    })
    expect(status, stdout + stderr).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ items: 250, total: 250, paid })
  })
})

test('hey-api makes a client that calls every operation', async () => {
  const program = await readFile(join(recipes, 'typescript/every-operation.ts'), 'utf8')
  const called = [...program.matchAll(/await api\.(\w+)\(/g)].map(([, name = '']) => name)
  const camel = (id: string) => id.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  expect(called.toSorted()).toEqual(operations.map(({ id }) => camel(id)).toSorted())
  const { status, stdout, stderr } = await run(process.execPath, [join(folder, 'built/every-operation.js')], {
    env: env(),
  })
  expect(status, stdout + stderr).toBe(0)
  const [held] = await demo.sql<Record<string, number>>(`
    select (select count(*)::integer from api_v1.items where coverage_state = 'uninsured') as uninsured,
      (select count(*)::integer from api_v1.locations) as locations,
      (select count(*)::integer from api_v1.maintenance where status = 'completed') as maintenance,
      (select count(*)::integer from api_v1.policies where active) as policies`)
  const pages = Math.ceil((held.uninsured ?? 0) / 100)
  const printed = JSON.parse(stdout)
  const [own] = await demo.sql<{ assignments: number }>(
    `select count(*)::integer as assignments from api_v1.assignments where item_id = '${printed.item[0]}'`,
  )
  expect(printed).toEqual({
    account: ['studio', 250],
    items: [held.uninsured, pages],
    item: [expect.stringMatching(/^[\da-f-]{36}$/), true],
    assignments: own.assignments,
    locations: held.locations,
    maintenance: held.maintenance,
    policies: held.policies,
    policy: expect.any(Number),
    removals: expect.any(Number),
    declared: expect.any(Number),
    values: held.uninsured,
    summed: 250,
  })
})

test('openapi-typescript makes the same program work from 3.0', async () => {
  const older = join(project, 'docs/openapi-3.0.json')
  const generated = await runTool('openapi-typescript', [older, '-o', 'generated/api.d.ts'], { cwd: folder })
  expect(generated.status, generated.stderr).toBe(0)
  expect(await compile()).toEqual({ status: 0, stdout: '', stderr: '' })
})
