import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { findPort } from '../../src/http/listener.ts'
import { useTool } from './demo.ts'
import { recipes, toolFile } from './tools.ts'

/** Node-RED without an editor, driven by its admin API. */
const demo = useTool()
let editor: ChildProcess
let url: string
beforeAll(async () => {
  const { folder } = demo
  const port = await findPort('127.0.0.1', 0)
  url = `http://127.0.0.1:${port}`
  const settings = { uiHost: '127.0.0.1', uiPort: port, telemetry: { enabled: false }, editorTheme: { tours: false } }
  await writeFile(join(folder, 'settings.js'), `module.exports = ${JSON.stringify(settings)}`)
  await writeFile(join(folder, 'package.json'), '{}')
  const command = [await toolFile('node-red'), '--userDir', folder, '--settings', join(folder, 'settings.js')]
  const env = { ...process.env, API_URL: demo.service.url, TOKEN: demo.token }
  editor = spawn(process.execPath, command, { env, stdio: 'ignore' })
  await vi.waitUntil(
    () =>
      fetch(`${url}/flows`).then(
        ({ ok }) => ok,
        () => false,
      ),
    { timeout: 60_000, interval: 200 },
  )
})
afterAll(async () => {
  const ended = editor && new Promise((resolve) => editor.once('exit', resolve))
  editor?.kill()
  await ended
})

const counts = async () => (await fetch(`${url}/coverage`)).json().catch(() => undefined)

test('the flow sorts every item by its coverage state, and then only what has changed', async () => {
  const flow = await readFile(join(recipes, 'node-red/flow.json'), 'utf8')
  const headers = { 'Content-Type': 'application/json' }
  const deployed = await fetch(`${url}/flows`, { method: 'POST', headers, body: flow })
  expect(deployed.status, await deployed.text()).toBe(204)
  const rows = await demo.sql<{ coverage_state: string; items: number }>(
    'select coverage_state, count(*)::int as items from api_v1.items where coverage_state is not null group by 1',
  )
  const states = Object.fromEntries(rows.map(({ coverage_state, items }) => [coverage_state, items]))
  const total = rows.reduce((sum, { items }) => sum + items, 0)
  expect(total).toBe(249)
  await expect.poll(counts, { timeout: 30_000 }).toEqual({ seen: total, ...states })

  const poll = () => fetch(`${url}/inject/inventory-tick`, { method: 'POST', headers, body: '{}' })
  await demo.sql(`update app.items set name = 'Renamed' where id = (
    select id from api_v1.items where coverage_state = 'uninsured' limit 1) returning id`)
  await expect
    .poll(() => poll().then(counts), { timeout: 30_000, interval: 3_000 })
    .toEqual({ seen: total + 1, ...states })
})
