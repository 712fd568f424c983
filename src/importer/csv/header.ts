import { quoted } from '../../domain/text.ts'
import type { Accepted } from '../doubts.ts'
import { type Mapping, MappingRefused, normalizedName, sameName } from '../foreign/mapping.ts'
import { hasNoPlace, type Suggestion, suggestions } from '../foreign/meanings.ts'
import { looksLike, ownFile } from '../foreign/tools.ts'
import type { Column, Kind } from '../kinds/kind.ts'
import type { RowError } from '../row-errors.ts'
import { type CheckedColumns, checkedColumns } from './checked-columns.ts'

/** A column of ours, and its places in the file: the first that is not empty, or all joined. */
export type ColumnPlace = {
  column: Column
  indexes: readonly number[]
  joined?: string
  /** How to read several values with commas between them, or only if another cell is filled: see Origin. */
  commas?: 'all' | 'first'
  ifFilled?: number
  /** Its cells are states such as `Stolen`: any that says so archives the row. `doubtful`: they may be
   * about something else, so a row that is not gone stays as it is. */
  states?: 'known' | 'doubtful'
  /** The place of the column that implies its value. */
  impliedBy?: number
}

export type Header = {
  line: number
  width: number
  places: ColumnPlace[]
  /** Leaves out rows without one of these values. */
  only?: { index: number; values: readonly string[] }
  /** A row with this text in that column is left out. */
  except?: { index: number; contains: string; what: string }
  /** A row with this text in that column is one piece, whatever its quantity. */
  singles?: { index: number; contains: string }
  checked: CheckedColumns
  /** The file's names of its columns. */
  names: readonly string[]
  /** The rows above the header, which are not read. */
  above?: number
  /** A studio's export wrote it. */
  exact?: true
  /** What the file is, in words, if this service wrote it. */
  own?: string
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

/** Reads the header. Each column is known and occurs once, in any order. A mapping ignores columns
 * that it does not name, unless one of ours alone has that name (`Serial Number`). What this service
 * wrote is recognised without one.
 * @throws MappingRefused for a key that the file lacks */
export function readHeader(line: number, names: readonly string[], kind: Kind, options: HeaderOptions = {}): Header {
  const { key, accepted } = options
  const own = options.mapping === undefined ? ownFile(kind.name, names) : undefined
  const mapping = options.mapping ?? own
  const header: Header = {
    ...{ line, names, width: names.length, places: [], spareKeys: [], numbered: key === 'none' },
    ...{ ignored: [], suggested: [], errors: [], checked: { quantities: [], states: [] } },
    ...((mapping?.own ?? own) && { own: mapping?.title ?? '' }),
  }
  const at = (theirs: string | undefined) => names.findIndex((name) => theirs !== undefined && sameName(name, theirs))
  const taken = placeMapped(header, kind, mapping, at)
  const only = mapping?.only && { index: at(mapping.only.column), values: mapping.only.values }
  if (only && only.index >= 0) header.only = only
  const except = mapping?.except && { ...mapping.except, index: at(mapping.except.column) }
  if (except && except.index >= 0) header.except = except
  const singles = mapping?.singles && { ...mapping.singles, index: at(mapping.singles.column) }
  if (singles && singles.index >= 0) header.singles = singles
  for (const name of mapping?.spareKeys ?? []) if (at(name) >= 0) header.spareKeys.push({ name, index: at(name) })

  const unknown = new Map<number, string>()
  for (const [index, name] of names.entries()) {
    if (taken.has(index) || index === header.only?.index || index === header.singles?.index) continue
    const column = columnOf(kind, name, mapping !== undefined)
    if (mapping?.ignored.some((theirs) => sameName(theirs, name))) continue
    if (column === undefined) unknown.set(index, name)
    else if (header.places.some((place) => place.column === column)) {
      if (header.places.some((place) => place.column === column && place.indexes.some((other) => taken.has(other))))
        header.ignored.push(name.trim())
      else header.errors.push(appearsTwice(line, column, name))
    } else header.places.push({ column, indexes: [index] })
  }
  const keyed = keyIndex(header, names, key)
  const isRead = (index: number) => header.places.some(({ indexes }) => indexes.includes(index)) || index === keyed
  header.checked = checkedColumns(kind, names, isRead)
  if (mapping?.own) header.checked = { ...header.checked, quantities: [], states: [] }
  const { quantities, currency, states } = header.checked
  for (const { index } of [...quantities, ...states, ...(currency ? [currency] : [])]) unknown.delete(index)
  if (mapping === undefined) suggest(header, kind, names, unknown, keyed)
  for (const [index, name] of unknown) {
    if (index === keyed || name.trim() === '') continue
    if (mapping !== undefined && index !== header.except?.index) header.ignored.push(name.trim())
  }
  setKey(header, kind, key, keyed)
  placeImplied(header, kind, accepted)
  return header
}

/** What a header is read by. */
type HeaderOptions = { mapping?: Mapping | undefined; key?: KeyChoice; accepted?: Accepted | undefined }

const appearsTwice = (line: number, column: Column, name: string): RowError => ({
  ...{ line, column: column.name, value: name, problem: 'appears twice', remedy: 'remove one of the two' },
})

/** Places the columns that a mapping names. @returns their places in the file */
function placeMapped(
  header: Header,
  kind: Kind,
  mapping: Mapping | undefined,
  at: (theirs: string) => number,
): Set<number> {
  const taken = new Set<number>()
  for (const [ours, { from, joined, commas, ifFilled }] of Object.entries(mapping?.columns ?? {})) {
    const column = kind.columns.find(({ name }) => name === ours)
    const means = (theirs: string) => {
      const other = mapping?.unless?.[theirs]
      return other === undefined || at(other) < 0
    }
    const indexes = from
      .filter(means)
      .map(at)
      .filter((index) => index >= 0)
    for (const index of indexes) taken.add(index)
    if (column === undefined || indexes.length === 0) continue
    const repeated = header.names.find((name, index) => !indexes.includes(index) && indexes.includes(at(name)))
    if (repeated !== undefined) header.errors.push(appearsTwice(header.line, column, repeated))
    const isState =
      column.name === 'archived' && indexes.some((index) => !sameName(header.names[index] ?? '', 'archived'))
    const filled = ifFilled === undefined ? -1 : at(ifFilled)
    header.places.push({
      ...{ column, indexes },
      ...(joined !== undefined && { joined }),
      ...(commas !== undefined && { commas }),
      ...(filled >= 0 && { ifFilled: filled }),
      ...(isState && { states: 'known' as const }),
    })
  }
  return taken
}

/** Places columns that the file lacks and that others of its columns imply. */
function placeImplied(header: Header, kind: Kind, accepted: Accepted | undefined): void {
  for (const column of kind.columns) {
    const { impliedBy } = column
    const by = impliedBy && header.places.find((place) => place.column.name === impliedBy.column)?.indexes[0]
    if (by === undefined) continue
    const place = header.places.find((other) => other.column === column)
    if (place) place.impliedBy = by
    else header.places.push({ column, indexes: [], impliedBy: by })
  }
  const { states } = header.checked
  const column = kind.columns.find(({ name }) => name === 'archived')
  if (!accepted?.has('states') || states.length === 0 || !column) return
  if (header.places.some((place) => place.column === column)) return
  header.places.push({ column, indexes: states.map(({ index }) => index), states: 'doubtful' })
}

/** Suggests what unknown columns mean, and reads them in that way to find the errors in their cells. */
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
  if (ours === undefined && hasNoPlace(name))
    return `it has no place here: leave it out with --map ${quoted(`${name}=`)}`
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

/** @param loosely accepts blanks and hyphens for underscores */
export function columnOf(kind: Kind, name: string, loosely = false): Column | undefined {
  const wanted = loosely ? normalizedName(name) : name.trim().toLowerCase()
  return kind.columns.find((column) => column.name === wanted)
}
