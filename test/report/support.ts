import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { parse } from 'csv-parse/sync'
import { strFromU8, unzipSync } from 'fflate'
import { extractText, getDocumentProxy } from 'unpdf'
import { makeReport, type Outcome, type ReportOptions } from '../../src/report/make.ts'
import { testSecretKey } from '../support/server.ts'
import type { World } from '../support/world.ts'

export type Made = { bytes: Buffer; outcome: Outcome }

/** Makes a report of a studio (A's when none is named) in this process. */
export async function made(
  { database, cast, photosDir }: World,
  request: Pick<ReportOptions, 'format'> & Partial<Pick<ReportOptions, 'studioId' | 'day' | 'policy' | 'preparedFor'>>,
): Promise<Made> {
  const sink = new PassThrough()
  const bytes = buffer(sink)
  const options = {
    studioId: cast.a.id,
    day: null,
    databaseUrl: database.urlFor('studio_api'),
    photos: { photosS3: undefined, publicUrl: 'http://localhost:3000', photosDir },
    secretKeys: testSecretKey,
    ...request,
  }
  const outcome = await makeReport(options, sink, { begin: () => undefined, at: () => undefined })
  return { bytes: await bytes, outcome }
}

/** A report as CSV, with its lines by the names of their columns. */
export async function linesOf(world: World, day: string | null = null) {
  const { bytes, outcome } = await made(world, { format: 'csv', day })
  const lines: Record<string, string>[] = parse(bytes, { bom: true, columns: true })
  return { bytes, outcome, lines }
}

/** The text of each page of a PDF. */
export async function pagesOf(pdf: Buffer): Promise<string[]> {
  const document = await getDocumentProxy(new Uint8Array(pdf))
  const { text } = await extractText(document, { mergePages: false })
  return text
}

/** The files in an XLSX, as text. */
export function partsOf(xlsx: Buffer): Map<string, string> {
  return new Map(Object.entries(unzipSync(new Uint8Array(xlsx))).map(([name, bytes]) => [name, strFromU8(bytes)]))
}

export type Cell = { type: string; style: number; text: string }

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const unescaped = (xml: string) => xml.replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => entities[name] ?? '')

/** The cells of a sheet, by row and by column letter. `text` is the text of a text cell, the number
 * of a number's. */
export function cellsOf(parts: Map<string, string>, sheet: number): Map<string, Cell>[] {
  const xml = parts.get(`xl/worksheets/sheet${sheet}.xml`) ?? ''
  return [...xml.matchAll(/<row [^>]*?(?:\/>|>(.*?)<\/row>)/gs)].map(
    ([, row = '']) =>
      new Map(
        [...row.matchAll(/<c r="([A-Z]+)\d+"([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)].map(
          ([, column = '', attributes = '', content = '']) => [
            column,
            {
              type: / t="(\w+)"/.exec(attributes)?.[1] ?? 'n',
              style: Number(/ s="(\d+)"/.exec(attributes)?.[1] ?? 0),
              text: unescaped(/<(?:v|t)[^>]*>(.*?)<\/(?:v|t)>/s.exec(content)?.[1] ?? ''),
            },
          ],
        ),
      ),
  )
}

/** An element of a PDF as a screen reader finds it: with its text, or with its elements. */
export type Tagged = { role: string; text: string; alt: string | undefined; within: Tagged[] }

type StructNode = { role?: string; alt?: string; type?: string; id?: string; children?: StructNode[] }

/** The structure of each page: rows and headings that have content on it, without artifacts. */
export async function structureOf(pdf: Buffer): Promise<Tagged[][]> {
  const document = await getDocumentProxy(new Uint8Array(pdf))
  const pages = Array.from({ length: document.numPages }, async (_, at) => {
    const page = await document.getPage(at + 1)
    const texts = new Map<string, string>()
    let [inside, outside] = ['', 0]
    for (const item of (await page.getTextContent({ includeMarkedContent: true })).items) {
      if ('str' in item) {
        if (inside !== '') texts.set(inside, `${texts.get(inside) ?? ''}${item.str}${item.hasEOL ? ' ' : ''}`)
        else if (outside === 0 && item.str.trim() !== '') throw new Error(`'${item.str}' has no tag`)
      } else if (item.type === 'beginMarkedContentProps') {
        inside = item.id
        texts.set(inside, '')
      } else if (item.type === 'beginMarkedContent') outside += 1
      else if (inside !== '') inside = ''
      else outside -= 1
    }
    const tagged = ({ role = '', alt, children = [] }: StructNode): Tagged[] => {
      const within = children.flatMap((child) => (child.type === undefined ? tagged(child) : []))
      const own = children.flatMap(({ id }) => (id === undefined ? [] : [texts.get(id) ?? '']))
      const text = [...own, ...within.map((each) => each.text)].join(' ').replace(/\s+/g, ' ').trim()
      return own.length + within.length > 0 || role === 'TD' ? [{ role, text, alt, within }] : []
    }
    const root: StructNode = (await page.getStructTree()) ?? {}
    return tagged(root).flatMap(({ within }) => within)
  })
  return Promise.all(pages)
}

/** The elements of a role, in reading order. */
export const allOf = (role: string, elements: readonly Tagged[]): Tagged[] =>
  elements.flatMap((each) => [...(each.role === role ? [each] : []), ...allOf(role, each.within)])
