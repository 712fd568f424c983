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
  await generate('openapi-typescript', [description, '-o', 'generated/api.d.ts'])
  await generate('openapi-ts', ['-i', description, '-o', 'generated/hey-api'])
})

async function generate(tool: string, args: string[]): Promise<void> {
  const { status, stdout, stderr } = await runTool(tool, args, { cwd: folder })
  expect(status, stdout + stderr).toBe(0)
}

/** Runs a program that was compiled; what it printed. */
async function printedBy(name: string) {
  const env = { API_URL: demo.service.url, TOKEN: demo.token }
  const { status, stdout, stderr } = await run(process.execPath, [join(folder, 'built', `${name}.js`)], { env })
  expect(status, stdout + stderr).toBe(0)
  return JSON.parse(stdout)
}

const compile = () => runTool('tsc', ['--project', folder])

test('the programs compile, strict', async () => {
  expect(await compile()).toEqual({ status: 0, stdout: '', stderr: '' })
})

describe.each(['with-openapi-typescript', 'with-hey-api'])('%s', (name) => {
  test('reads every item once and adds up what was paid', async () => {
    const [{ paid }] = await demo.sql<{ paid: number }>('select sum(purchase_price)::float8 as paid from api_v1.items')
    expect(await printedBy(name)).toEqual({ items: 250, total: 250, paid })
  })
})

test('hey-api makes a client that calls every operation', async () => {
  const program = await readFile(join(recipes, 'typescript/every-operation.ts'), 'utf8')
  const called = [...program.matchAll(/await api\.(\w+)\(/g)].map(([, name = '']) => name)
  const camel = (id: string) => id.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  expect(called.toSorted()).toEqual(operations.map(({ id }) => camel(id)).toSorted())
  const printed = await printedBy('every-operation')
  const [held] = await demo.sql<Record<string, number>>(`
    select (select count(*)::integer from api_v1.items where coverage_state = 'uninsured') as uninsured,
      (select count(*)::integer from api_v1.locations) as locations,
      (select count(*)::integer from api_v1.maintenance where status = 'completed') as maintenance,
      (select count(*)::integer from api_v1.policies where active) as policies`)
  const pages = Math.ceil((held.uninsured ?? 0) / 100)
  const [own] = await demo.sql<{ assignments: number }>(
    `select count(*)::integer as assignments from api_v1.assignments where item_id = '${printed.item[0]}'`,
  )
  expect(printed).toEqual({
    account: ['studio', 250],
    items: [held.uninsured, pages],
    item: [expect.stringMatching(/^[\da-f-]{36}$/), true],
    assignments: own.assignments,
    ...{ locations: held.locations, maintenance: held.maintenance, policies: held.policies },
    ...{ policy: expect.any(Number), removals: expect.any(Number), declared: expect.any(Number) },
    ...{ values: held.uninsured, summed: 250 },
  })
})

test('openapi-typescript makes the same program work from 3.0', async () => {
  const older = join(project, 'docs/openapi-3.0.json')
  await generate('openapi-typescript', [older, '-o', 'generated/api.d.ts'])
  expect(await compile()).toEqual({ status: 0, stdout: '', stderr: '' })
})
