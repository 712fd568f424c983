import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { RowError } from '../row-errors.ts'

/** The file ending of a picture, by its first bytes. */
export async function pictureEnding(path: string): Promise<'png' | 'jpg' | 'webp' | null> {
  const file = await open(path)
  try {
    const head = Buffer.alloc(12)
    const { bytesRead } = await file.read(head, 0, 12, 0)
    if (bytesRead < 12) return null
    if (head.toString('hex', 0, 8) === '89504e470d0a1a0a') return 'png'
    if (head.toString('hex', 0, 3) === 'ffd8ff') return 'jpg'
    if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') return 'webp'
    return null
  } finally {
    await file.close()
  }
}

/** A digest of a file's content, as 32 hexadecimal digits. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex').slice(0, 32)
}

/** Copies a picture into the folder of photos under its storage key, unless it is there.
 * @returns whether it was new */
export async function copyPicture(source: string, photosDir: string, storageKey: string): Promise<boolean> {
  const target = join(photosDir, storageKey)
  if ((await stat(target).catch(() => undefined))?.isFile()) return false
  await mkdir(dirname(target), { recursive: true })
  const draft = `${target}.${randomBytes(4).toString('hex')}`
  try {
    await copyFile(source, draft)
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  return true
}

/** Files that systems leave in folders of pictures, which the import skips. */
const leftovers = /^\.|^(?:thumbs\.db|desktop\.ini|ehthumbs\.db|icon\r)$|^@eadir$|^__macosx$/i

export function isLeftover(fileName: string): boolean {
  return leftovers.test(fileName)
}

/** `MIC-001.jpg` is MIC-001's first photo (place 0), `MIC-001-2.png` its second, unless there is
 * an item MIC-001-2. Decodes %2F and the like, and normalizes to form C. */
export function readName(fileName: string): { whole: string; key: string | null; place: number | null } {
  const stem = unescaped(fileName.replace(/\.[^.]*$/, '')).normalize('NFC')
  const parts = /^(.+)-(\d{1,4})$/.exec(stem)
  const number = Number(parts?.[2] ?? 0)
  return {
    whole: stem,
    key: number >= 1 ? (parts?.[1] ?? null) : null,
    place: number >= 1 ? number - 1 : null,
  }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The file that lists what a folder's photos show. */
export const listName = 'photos.csv'
export const listColumns = ['file', 'item', 'place'] as const

/** A photo's item, by external key, and its place among the item's photos, from 0. */
export type Listed = { item: string; place: number }

const header = listColumns.join(',')

/** Reads a folder's `photos.csv`. Without it, file names say what the photos show. */
export async function readPhotoList(folder: string) {
  const list = { files: new Map<string, Listed>(), errors: [] as RowError[] }
  const wrong = (line: number | null, column: string, value: string | null, problem: string, remedy: string) =>
    list.errors.push({ line, column, value, problem: `${problem} (${listName})`, remedy })
  const bytes = await readFile(join(folder, listName)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (bytes === undefined) return list
  let rows: { record: Record<string, string | undefined>; info: { lines: number } }[]
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    rows = parse(text, {
      columns: (names: string[]) => names.map((name) => name.trim().toLowerCase()),
      delimiter: /[;\t]/.exec(text.split('\n', 1)[0] ?? '')?.[0] ?? ',',
      info: true,
      skip_empty_lines: true,
    })
  } catch (error) {
    wrong(
      null,
      'file',
      listName,
      `cannot be read: ${(error as Error).message}`,
      `save it as CSV in UTF-8; its first line is ${header}`,
    )
    return list
  }
  for (const { record, info } of rows) {
    const { file, item, place } = record
    if (file === undefined || item === undefined || place === undefined) {
      wrong(null, 'file', listName, 'lacks a column', `its first line is ${header}`)
      return list
    }
    const name = file.trim().normalize('NFC')
    const key = item.trim()
    if (key === '') wrong(info.lines, 'item', null, 'is empty', "write the item's external key")
    else if (!/^[1-9]\d{0,3}$/.test(place.trim()))
      wrong(info.lines, 'place', place, 'is not a place', 'write 1 for the first photo')
    else if (list.files.has(name)) wrong(info.lines, 'file', file, 'is listed twice', 'remove one of the lines')
    else list.files.set(name, { item: key, place: Number(place) - 1 })
  }
  return list
}
