import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { link, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import sharp from 'sharp'
import { withClient } from '../../src/database/client.ts'
import { escaped, workbook } from '../support/workbook.ts'
import type { Bar } from './bar.ts'
import { makeStudio, type Scratch } from './data.ts'
import { inherited, megabytesOf, root, serviceEnv } from './servers.ts'

type Used = { seconds: number; megabytes: number }

/** Imports of new items as CSV and XLSX, and reports of items with a photo each, by the CLI. */
export async function files(scratch: Scratch, rows: number, reported: number): Promise<Bar[]> {
  const bars: Bar[] = []
  const add = (what: string, { seconds, megabytes }: Used, mostSeconds: number, mostMegabytes: number) => {
    bars.push({ what, values: [seconds], unit: 's', atMost: mostSeconds })
    bars.push({ what: `its memory`, values: [megabytes], unit: 'MB', atMost: mostMegabytes })
  }
  for (const [format, seconds, megabytes] of [
    ['csv', 15, 200],
    ['xlsx', 20, 240],
  ] as const) {
    const { id } = await makeStudio(scratch, `Importing ${format}`, { items: 10 })
    const file = join(scratch.folder, `items.${format}`)
    await writeItems(file, rows)
    const args = ['import', 'items', file, '--studio', id]
    add(`import of ${rows} rows as ${format}`, await runCommand(scratch, args), seconds, megabytes)
  }
  const { id } = await makeStudio(scratch, 'Reported', { items: reported, photos: { each: 1, oneIn: 1 } })
  await writePhotos(scratch, id)
  for (const format of ['pdf', 'xlsx']) {
    const args = ['report', '--studio', id, '--as', format, '--output', join(scratch.folder, `report.${format}`)]
    add(`report of ${reported} items with photos as ${format}`, await runCommand(scratch, args), 45, 390)
  }
  return bars
}

async function writeItems(file: string, rows: number): Promise<void> {
  const header = ['external_key', 'name', 'category', 'purchase_price', 'reported_insured_value']
  const row = (n: number) => [`new-${n}`, `New item ${n}`, n % 2 ? 'Microphones' : 'Guitars & Basses', n % 500, n % 300]
  const lines = Array.from({ length: rows }, (_, n) => row(n))
  if (file.endsWith('.csv')) return writeFile(file, [header, ...lines].map((line) => `${line.join(',')}\n`).join(''))
  const texts: string[] = []
  const shared = (text: string | number) => (typeof text === 'number' ? text : { t: 's', v: `${texts.push(text) - 1}` })
  const gear = [header, ...lines].map((line) => line.map(shared))
  await writeFile(file, workbook({ Gear: gear }, { texts: texts.map((text) => `<t>${escaped(text)}</t>`) }))
}

/** A photo of 1600 × 1200 pixels for each item; all are one file. */
async function writePhotos({ adminUrl, folder }: Scratch, studioId: string): Promise<void> {
  const photos = join(folder, 'data/photos')
  const one = join(folder, 'photo.jpg')
  const create = { width: 1_600, height: 1_200, channels: 3 as const, background: 'white' }
  const noise = { ...create, noise: { type: 'gaussian' as const, mean: 128, sigma: 30 } }
  await sharp({ create: noise }).jpeg().toFile(one)
  const { rows } = await withClient(adminUrl, (client) =>
    client.query<{ storage_key: string }>('select storage_key from app.item_photos where studio_id = $1', [studioId]),
  )
  for (const { storage_key: key } of rows) {
    await mkdir(dirname(join(photos, key)), { recursive: true })
    await link(one, join(photos, key))
  }
}

/** Runs the command line to its end: its time, and its memory with what it starts. */
async function runCommand(scratch: Scratch, args: string[]): Promise<Used> {
  const began = performance.now()
  const env = { ...inherited, ...serviceEnv(scratch) }
  const program = join(root, 'src/cli/main.ts')
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  let megabytes = 0
  const timer = setInterval(async () => {
    megabytes = Math.max(megabytes, await megabytesOf(Number(child.pid)))
  }, 200)
  const [status] = await once(child, 'close')
  clearInterval(timer)
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
  return { seconds: (performance.now() - began) / 1_000, megabytes }
}
