import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeBusy } from './busy.ts'
import { useTool } from './demo.ts'
import { project, type Run, recipes, run, runTool } from './tools.ts'

/** The client in Python is generated as its page says. It runs against a service that is sometimes too
 * busy. */
const demo = useTool()
let busy: { address: string; close(): Promise<void> }
let figures: object
beforeAll(async () => {
  busy = await makeBusy(demo.service.url)
  const [{ paid }] = await demo.sql<{ paid: number }>('select sum(purchase_price)::float8 as paid from api_v1.items')
  figures = { items: 250, total: 250, paid }
})
afterAll(() => busy?.close())
const env = () => ({ API_URL: busy.address, TOKEN: demo.token })
const page = (tool: string) => readFile(join(recipes, tool, 'README.md'), 'utf8')

/** The arguments of a command in the page of a recipe, from its name to the end of the command. */
async function argumentsIn(tool: string, command: string): Promise<string[]> {
  const [, given = ''] = new RegExp(`${command} ((?:.*\\\\\n)*.*)`).exec(await page(tool)) ?? []
  return given.split(/[\s\\]+/)
}

function expectFigures({ status, stdout, stderr }: Run, printed: string): void {
  expect(status, stdout + stderr).toBe(0)
  expect(JSON.parse(stdout)).toEqual(figures)
  expect(printed, 'the figures of the page').toContain(stdout.trim())
}

describe('Python', () => {
  const home = () => join(demo.folder, 'python')
  beforeAll(async () => {
    await cp(join(recipes, 'python'), home(), { recursive: true })
    const [, filter = ''] = /jq '(.*)'/.exec(await page('python')) ?? []
    const filtered = await run('jq', [filter, join(project, 'docs/openapi-3.0.json')])
    expect(filtered.status, filtered.stderr).toBe(0)
    await writeFile(join(home(), 'inventory.json'), filtered.stdout)
    const args = await argumentsIn('python', 'openapi-generator-cli@\\S+')
    const { status, stderr } = await runTool('openapi-generator', args, { cwd: home() })
    expect(status, stderr).toBe(0)
  })
  const ask = (more: object = {}) =>
    run('/usr/bin/python3', ['items.py'], { cwd: home(), env: { ...env(), PYTHONPATH: 'generated', ...more } })

  test('the client reads every item once, waits when it has to, and adds up what was paid', async () => {
    expectFigures(await ask(), await page('python'))
  })

  test('the client says what is wrong with a token', async () => {
    const { status, stderr } = await ask({ TOKEN: 'svc_studio_unknown', API_URL: demo.service.url })
    expect([status, JSON.parse(stderr).code]).toEqual([1, 'unauthenticated'])
  })
})
