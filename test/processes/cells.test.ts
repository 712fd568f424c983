import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ServiceProcess, startProcess } from '../faults/support.ts'
import { useCells } from '../support/cells.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'

/** The service as an operator runs it, on two cells; the way to eu2 can break. */
const cells = useCells()
let folder: string
let file: string
let proxy: DatabaseProxy
const started: ServiceProcess[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-cells-'))
  file = join(folder, 'cells.json')
  proxy = await openProxy(cells.eu2.adminUrl)
  const list = [
    { name: 'eu1', databaseUrl: cells.eu1.adminUrl },
    { name: 'eu2', databaseUrl: proxy.reach(cells.eu2.adminUrl) },
  ]
  await writeFile(file, JSON.stringify({ cells: list }))
})
afterAll(async () => {
  for (const service of started) service.signal('SIGTERM')
  await Promise.all(started.map(({ ended }) => ended))
  await proxy?.close()
  if (folder) await rm(folder, { recursive: true })
})

async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await startProcess('', { CELLS_FILE: file, ...env })
  started.push(service)
  return service
}
const status = async ({ port }: ServiceProcess, studio: 'a' | 'b') => {
  const headers = { Authorization: `Bearer ${cells.cast[studio].token.token}` }
  return (await fetch(`http://127.0.0.1:${port}/v1/account`, { headers })).status
}
async function readiness(port: number): Promise<{ status: string; cells?: Record<string, string> }> {
  return (await fetch(`http://127.0.0.1:${port}/readyz`)).json() as Promise<{ status: string }>
}

test('one process serves two cells, works in both, and goes on with one when the other is away', async () => {
  const service = await start()
  expect([await status(service, 'a'), await status(service, 'b')]).toEqual([200, 200])
  for (const cell of ['eu1', 'eu2']) {
    expect(await service.metric(`pool_size{pool="studio_api",cell="${cell}"}`)).toBeGreaterThan(0)
    expect(await service.metric(`ready{cell="${cell}"}`)).toBe(1)
    const age = () => service.metric(`watermark_age_seconds{cell="${cell}"}`)
    await vi.waitUntil(async () => (await age()) >= 0, { timeout: 20_000 })
  }

  await proxy.down()
  await vi.waitUntil(async () => (await service.metric('ready{cell="eu2"}')) === 0, { timeout: 20_000 })
  expect(await service.metric('ready')).toBe(1)
  // Who is away is for operators alone.
  expect(await readiness(service.port)).toEqual({ status: 'ready', schema_version: expect.any(String) })
  expect((await readiness(service.metricsPort)).cells).toMatchObject({
    eu1: 'ready',
    eu2: expect.stringMatching(/^the database/),
  })
  expect([await status(service, 'a'), await status(service, 'b')]).toEqual([200, 503])

  const later = await start()
  expect([await status(later, 'a'), await status(later, 'b')]).toEqual([200, 503])
  expect(later.output()).toContain('started, without all cells')

  await proxy.up()
  for (const each of [service, later]) {
    await vi.waitUntil(async () => (await status(each, 'b')) === 200, { timeout: 30_000 })
  }
})

test('the log of a request names the cell of its token, and every line of a cell names it', async () => {
  const service = await start({ LOG_LEVEL: 'info' })
  await status(service, 'b')
  const line = () =>
    service
      .output()
      .split('\n')
      .find((each) => each.includes('"/v1/account"'))
  await vi.waitUntil(() => line() !== undefined, { timeout: 20_000 })
  expect(JSON.parse(line() ?? '{}')).toMatchObject({ status: 200, cell: 'eu2', token_id: cells.cast.b.token.id })
})
