import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { RowError } from '../row-error.ts'

/** The file that says what the others of a folder of photos show. */
export const listName = 'photos.csv'
export const listColumns = ['file', 'item', 'place'] as const

/** What a file shows: an item by its external key, and the place among the item's photos, from 0. */
export type Listed = { item: string; place: number }

export type PhotoList = {
  /** By the name of the file, in Unicode's normal form C. */
  files: Map<string, Listed>
  errors: RowError[]
}

const header = listColumns.join(',')

/** Reads `photos.csv` of a folder. Without one nothing is listed, and the names of the files say what they show. */
export async function readPhotoList(folder: string): Promise<PhotoList> {
  const list: PhotoList = { files: new Map(), errors: [] }
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
      wrong(info.lines, 'place', place, 'is no place', 'write 1 for the first photo')
    else if (list.files.has(name)) wrong(info.lines, 'file', file, 'is listed twice', 'remove one of the lines')
    else list.files.set(name, { item: key, place: Number(place) - 1 })
  }
  return list
}
