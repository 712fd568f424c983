import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import type { Target } from './attacks.ts'
import { keepAsking, type Neighbour, type Outcome } from './neighbour.ts'

/** A progressive JPEG of so many pixels a side: a small one whose header says so, which takes as much
 * memory to decode. */
export async function progressive(edge: number): Promise<Buffer> {
  const small = { width: 1_000, height: 1_000, channels: 3 as const, background: '#336699' }
  const jpeg = await sharp({ create: small }).jpeg({ progressive: true }).toBuffer()
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc2]))
  jpeg.writeUInt16BE(edge, frame + 5)
  jpeg.writeUInt16BE(edge, frame + 7)
  return jpeg
}

/** A valid file of items. */
function csvOf(rows: number): string {
  const lines = Array.from({ length: rows }, (_, at) => `K${at},Microphone ${at},Microphones,${at % 900}.50`)
  return `external_key,name,category,purchase_price\n${lines.join('\n')}\n`
}

/** Uploads a file, and opens its preview again and again. */
export async function importing({ hostile, rows }: Target, until: AbortSignal): Promise<Outcome[]> {
  const preview = { ...hostile.page(''), url: await uploaded(hostile, csvOf(rows)) }
  return keepAsking(() => preview, { parallel: 4, until })
}

/** @returns the address of the file's preview */
async function uploaded(hostile: Neighbour, content: string): Promise<string> {
  const fields = new FormData()
  fields.append('kind', 'items')
  fields.append('from', 'guess')
  fields.append('file', new Blob([content], { type: 'text/csv' }), 'gear.csv')
  const { url, init } = hostile.form('import', fields)
  for (;;) {
    const response = await fetch(url, init)
    const location = response.headers.get('location')
    if (location !== null) return new URL(location, url).href
    if (response.status !== 429) throw new Error(`an upload got ${response.status}: ${await response.text()}`)
    await sleep(200)
  }
}
