import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { example } from '../reference/document.ts'
import { startHeartbeats } from '../support/heartbeat.ts'
import type { TestService } from '../support/service.ts'
import { type List, useWorld } from '../support/world.ts'

const run = promisify(execFile)

export const lists = ['items', 'valuations', 'locations', 'maintenance', 'policies'] as const
export type Copy = Record<(typeof lists)[number], Record<string, { id: string }>> & { since: string }
type Studio = { id: string; token: string }

/** Runs the programs of /docs unchanged, against the service and a database that changes. */
export function usePrograms() {
  vi.setConfig({ testTimeout: 60_000 })
  const world = useWorld()
  let stopBeats: () => Promise<void>
  let root: string

  beforeAll(async () => {
    stopBeats = await startHeartbeats(world.database)
    await allVisible()
    root = await mkdtemp(join(tmpdir(), 'studio-inventory-programs-'))
  })
  afterAll(async () => {
    await stopBeats?.()
    if (root) await rm(root, { recursive: true })
  })

  /** A studio whose items fill some pages, and a policy, a room and a maintenance record of each
   * kind that can go. */
  async function studioWithRecords() {
    const studio = await world.newStudio()
    const add = (table: string, columns: object) => world.add(table, columns, studio.id)
    const many = `insert into app.items (studio_id, name, category, purchase_price)
      select $1, 'Item ' || n, 'Microphones', n from generate_series(1, 230) as n`
    await world.write(({ query }) => query(many, [studio.id]), studio.id)
    const item = await add('items', { name: 'Tape machine' })
    for (let count = 0; count < 5; count += 1) {
      await add('policies', { name: `Policy ${count}`, effective_start: '2020-01-01' })
      await add('locations', { name: `Room ${count}` })
      await add('maintenance_records', { item_id: item, title: `Service ${count}` })
    }
    return studio
  }

  /** A program of the page in its own folder, for the API at an address. Each `sync` runs it and
   * returns its copy. */
  async function program(file: string, command: string, service: TestService, token: string, address = service.url) {
    const page = await (await fetch(`${service.url}/docs`)).text()
    const folder = await mkdtemp(join(root, 'copy-'))
    const name = file.replace('.js', '.mjs')
    const source = example(page, file)
    expect(source).toContain(`${service.url}/v1`)
    const rewritten = source.replace(service.url, () => address)
    await writeFile(join(folder, name), rewritten)
    const env = { PATH: process.env.PATH, TOKEN: token }
    const output = async () => (await run(command, [name], { cwd: folder, env })).stdout
    const copy = async (): Promise<Copy> => JSON.parse(await readFile(join(folder, 'copy.json'), 'utf8'))
    return { output, copy, sync: () => output().then(copy) }
  }

  /** Waits until the watermark has passed all writes. */
  async function allVisible(now = Date.now()): Promise<void> {
    const watermark = async () => {
      const [row] = await world.owner<{ at: string }>('select extract(epoch from access.watermark()) * 1000 as at')
      return Number(row?.at)
    }
    await vi.waitUntil(async () => (await watermark()) > now, { timeout: 60_000, interval: 100 })
  }

  /** What the studio's lists hold, read by page numbers while nobody writes. */
  async function held({ token }: Studio): Promise<Omit<Copy, 'since'>> {
    const read = async (list: string) => {
      type Held = { id: string; item_id: string }
      const records: Record<string, Held> = {}
      for (let page: number | null = 1; page !== null; ) {
        const { data, meta }: List<Held> = await world.read(`/v1/${list}?per_page=100&page=${page}`, { token })
        for (const record of data) records[record.id ?? record.item_id] = record
        page = meta.next_page
      }
      return records
    }
    return Object.fromEntries(await Promise.all(lists.map(async (list) => [list, await read(list)]))) as Copy
  }

  return { world, studioWithRecords, program, allVisible, held }
}
