import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prefix } from '../../src/api/operations.ts'
import { type Demo, startDemo } from '../openapi/demo.ts'
import { generous } from '../support/service.ts'
import { type Run, runNode, runTool } from './tools.ts'

/** A client's project in a folder of its own: types generated from the running service's description, and a program. */
let demo: Demo
let folder: string
let generated: Run

beforeAll(async () => {
  demo = await startDemo({ ...generous, studio: { perSecond: 5, perMinute: 1_000 } })
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-client-'))
  await cp(join(import.meta.dirname, 'client'), folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await symlink(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'))
  generated = await runTool('openapi-typescript', [`${demo.service.url}/openapi.yaml`, '-o', 'api.d.ts'], folder)
})
afterAll(async () => {
  await demo?.close()
  await rm(folder, { recursive: true, force: true })
})

/** The TypeScript that most clients have, and the one of this project. */
const compilers = {
  'TypeScript 5': join(import.meta.dirname, 'node_modules/typescript/bin/tsc'),
  'the newest TypeScript': join(import.meta.dirname, '../../node_modules/typescript/bin/tsc'),
}

test('types are generated from the description', async () => {
  expect(generated.status, generated.output).toBe(0)
  expect(await readFile(join(folder, 'api.d.ts'), 'utf8')).toContain('"/items/{id}/policies"')
})

describe.each(Object.entries(compilers))('under %s', (_, compiler) => {
  const compile = () => runNode([compiler, '--project', folder], folder)

  test('the client compiles, strict', async () => {
    expect(await compile()).toEqual({ status: 0, output: '' })
  })

  test('a client of other types does not', async () => {
    const file = join(folder, 'api.d.ts')
    const types = await readFile(file, 'utf8')
    await writeFile(file, types.replace(/gap_amount: number \| null/g, 'gap_amount: string'))
    const { status, output } = await compile()
    await writeFile(file, types)
    expect(status).not.toBe(0)
    expect(output).toContain("Type 'string' is not assignable to type 'number")
  })
})

test('the client reads every endpoint of the running service, as fast as it may', async () => {
  const totalOf = async (path: string) =>
    (await demo.service.get<{ meta: { total: number } }>(prefix + path, { token: demo.token })).json.meta.total
  const totals = {
    items: await totalOf('/items'),
    uninsured: await totalOf('/items?category=Microphones&coverage_state=uninsured'),
    locations: await totalOf('/locations'),
    maintenance: await totalOf('/maintenance?status=completed'),
    policies: await totalOf('/policies'),
  }
  const program = join(folder, 'read-everything.ts')
  const { status, output } = await runNode([program, demo.service.url + prefix, demo.token], folder)
  expect(status, output).toBe(0)
  const found = JSON.parse(output)
  expect(found).toEqual({
    ...totals,
    details: 10,
    assignments: expect.any(Number),
    assigned: expect.any(Number),
    account: expect.objectContaining({ name: 'Northlight Studios', item_count: totals.items }),
    unknown: 'not_found',
    refused: ['coverage_state'],
    waited: true,
    requestId: true,
  })
  for (const name of ['items', 'uninsured', 'locations', 'maintenance', 'policies', 'assignments', 'assigned']) {
    expect(found[name], name).toBeGreaterThan(3)
  }
})
