import { quoted } from '../../domain/text.ts'
import { type Mapping, MappingRefused, normalizedName, sameName } from '../foreign/mapping.ts'
import { type Suggestion, suggestions } from '../foreign/meanings.ts'
import { looksLike } from '../foreign/tools.ts'
import type { Column, Kind } from '../kinds/kind.ts'
import { type RowError, UnreadableFile } from '../row-errors.ts'
import { cellsOf, type Record } from './records.ts'

const delimiters = [',', ';', '\t'] as const

/** A column of ours, and its places in the file: the first that is not empty, or all joined. */
export type ColumnPlace = { column: Column; indexes: readonly number[]; joined?: string }

export type Header = {
  line: number
  width: number
  places: ColumnPlace[]
  /** Leaves out rows without one of these values. */
  only?: { index: number; values: readonly string[] }
  /** Rows with this text there are left out. */
  except?: { index: number; contains: string; what: string }
  /** The column with the number of pieces in a row. */
  quantity?: number
  /** Columns that may tell rows apart as well as the key. */
  spareKeys: { name: string; index: number }[]
  /** The rows get numbers as their keys. */
  numbered: boolean
  /** Columns that are not read. */
  ignored: string[]
  /** Guessed columns. Each is an error; reading them shows their cells' errors, too. */
  suggested: Suggestion[]
  errors: RowError[]
  /** The table is probably on another sheet; the only error says so. */
  elsewhere?: true
}

/** What identifies rows: a column of the file, or of ours; `none`: their number. */
export type KeyChoice = string | undefined

/** The delimiter that gives the most known columns, then the most columns. */
export function detectDelimiter(header: string, kind: Kind, mapping?: Mapping): string {
  const scores = delimiters.map((delimiter) => {
    const names = safely(header, delimiter)
    const isKnown = (name: string) => columnOf(kind, name) !== undefined || isMapped(mapping, name)
    return { delimiter, known: names.filter(isKnown).length, columns: names.length }
  })
  scores.sort((a, b) => b.known - a.known || b.columns - a.columns)
  return scores[0]?.delimiter ?? ','
}

const isMapped = (mapping: Mapping | undefined, name: string) =>
  Object.values(mapping?.columns ?? {}).some(({ from }) => from.some((theirs) => sameName(theirs, name)))

/** The line that tells Excel the delimiter: `sep=;`. */
export function separatorLine(line: string): string | undefined {
  return /^"?sep=(.)"?$/i.exec(line)?.[1]
}

/** Reads the header. Each column is known and occurs once, in any order. A mapping ignores columns
 * that it does not name, unless one of ours alone has that name (`Serial Number`).
 * @throws MappingRefused for a key that the file lacks */
export function readHeader(
  line: number,
  names: readonly string[],
  kind: Kind,
  mapping?: Mapping,
  key?: KeyChoice,
): Header {
  const header: Header = {
    ...{ line, width: names.length, places: [], spareKeys: [], numbered: key === 'none' },
    ...{ ignored: [], suggested: [], errors: [] },
  }
  const { errors } = header
  const taken = new Set<number>()
  for (const [ours, { from, joined }] of Object.entries(mapping?.columns ?? {})) {
    const column = kind.columns.find(({ name }) => name === ours)
    const indexes = from.map((theirs) => names.findIndex((name) => sameName(name, theirs))).filter((at) => at >= 0)
    for (const index of indexes) taken.add(index)
    if (column !== undefined && indexes.length > 0) {
      header.places.push({ column, indexes, ...(joined !== undefined && { joined }) })
    }
  }
  const at = (theirs: string | undefined) => names.findIndex((name) => theirs !== undefined && sameName(name, theirs))
  const only = mapping?.only && { index: at(mapping.only.column), values: mapping.only.values }
  if (only && only.index >= 0) header.only = only
  const except = mapping?.except && { ...mapping.except, index: at(mapping.except.column) }
  if (except && except.index >= 0) header.except = except
  if (at(mapping?.quantity) >= 0) header.quantity = at(mapping?.quantity)
  for (const name of mapping?.spareKeys ?? []) if (at(name) >= 0) header.spareKeys.push({ name, index: at(name) })

  const unknown = new Map<number, string>()
  for (const [index, name] of names.entries()) {
    if (taken.has(index) || index === header.only?.index || index === header.quantity) continue
    const column = columnOf(kind, name, mapping !== undefined)
    if (mapping?.ignored.some((theirs) => sameName(theirs, name))) continue
    if (column === undefined) unknown.set(index, name)
    else if (header.places.some((place) => place.column === column)) {
      if (mapping !== undefined) header.ignored.push(name.trim())
      else
        errors.push({
          line,
          column: column.name,
          value: name,
          problem: 'appears twice',
          remedy: 'remove one of the two',
        })
    } else header.places.push({ column, indexes: [index] })
  }
  const keyed = keyIndex(header, names, key)
  if (mapping === undefined) suggest(header, kind, names, unknown, keyed)
  for (const [index, name] of unknown) {
    if (index === keyed || name.trim() === '') continue
    if (mapping !== undefined && index !== header.except?.index) header.ignored.push(name.trim())
  }
  setKey(header, kind, key, keyed)
  return header
}

/** Says what unknown columns probably are, and reads them so. */
function suggest(
  header: Header,
  kind: Kind,
  names: readonly string[],
  unknown: ReadonlyMap<number, string>,
  keyed: number | undefined,
): void {
  const free = kind.columns
    .filter((column) => !header.places.some((place) => place.column === column))
    .map(({ name }) => name)
    .filter((name) => name !== kind.key || (keyed === undefined && !header.numbered))
  const left = [...unknown].filter(([index]) => index !== keyed)
  const tool = looksLike(kind.name, names)?.option
  header.suggested = suggestions(
    kind,
    left.map(([, name]) => name),
    free,
    tool,
  )
  for (const [index, name] of left) {
    const suggested = header.suggested.find(({ theirs }) => theirs === name)
    const column = suggested && kind.columns.find((own) => own.name === suggested.ours)
    if (column && !header.places.some((place) => place.column === column)) {
      header.places.push({ column, indexes: [index] })
    }
    header.errors.push({
      line: header.line,
      column: `column ${index + 1}`,
      value: name,
      problem: name.trim() === '' ? 'has no name' : `is not a column of ${kind.name}`,
      remedy: remedyFor(name.trim(), suggested?.ours),
    })
  }
}

function remedyFor(name: string, ours: string | undefined): string {
  if (name === '') return 'name it, or remove it'
  return ours === undefined
    ? `leave it out with --map ${quoted(`${name}=`)}, or remove it`
    : `probably ${ours}: --map ${quoted(`${name}=${ours}`)}`
}

/** The column of the file that is the key: by its own name, or by what it is read as. */
function keyIndex({ places }: Header, names: readonly string[], key: KeyChoice): number | undefined {
  if (key === undefined || key === 'none') return undefined
  const read = places.find(({ column }) => column.name === normalizedName(key))?.indexes[0]
  const named = names.findIndex((name) => sameName(name, key) || normalizedName(name) === normalizedName(key))
  const index = read ?? named
  if (index >= 0) return index
  throw new MappingRefused(`the file has no column "${key}" that could be the key`, `Its columns: ${names.join(', ')}`)
}

function setKey(header: Header, kind: Kind, key: KeyChoice, keyed: number | undefined): void {
  if (key === undefined) return
  if (kind.key !== 'external_key') {
    throw new MappingRefused(
      `${kind.nouns[1]} are identified by their ${kind.key}, not by another key`,
      'Leave out --key.',
    )
  }
  const column = kind.columns.find(({ name }) => name === kind.key)
  header.places = header.places.filter((place) => place.column !== column)
  if (column && keyed !== undefined) header.places.unshift({ column, indexes: [keyed] })
}

/** How many rows a title and remarks before the table may take. */
export const rowsBefore = 20

/** Refuses a title or a remark in the place of the header, if the header seems to be below it.
 * @throws UnreadableFile */
export function requireHeader(first: Record, rows: readonly Record[], kind: Kind): void {
  if (first.cells.filter((name) => name.trim() !== '').length > 2) return
  const ours = kind.columns.map(({ name }) => name)
  const found = rows.slice(0, rowsBefore).find(({ cells }) => suggestions(kind, cells, ours).length > 2)
  if (found === undefined) return
  throw new UnreadableFile(first.line, `is not the header: line ${found.line} seems to be`, 'remove the lines above it')
}

/** @param loosely accepts blanks and hyphens for underscores */
function columnOf(kind: Kind, name: string, loosely = false): Column | undefined {
  const wanted = loosely ? normalizedName(name) : name.trim().toLowerCase()
  return kind.columns.find((column) => column.name === wanted)
}

function safely(header: string, delimiter: string): string[] {
  try {
    return cellsOf(header, delimiter)
  } catch {
    return []
  }
}
