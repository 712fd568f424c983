import { probablyMeant } from '../../domain/text.ts'
import { type Mapping, sameName, spelt } from '../foreign/mapping.ts'
import { knownAs, looksLike } from '../foreign/tools.ts'
import type { Column, Kind } from '../kinds/kind.ts'
import type { RowError } from '../row-errors.ts'
import { cellsOf } from './records.ts'

const delimiters = [',', ';', '\t'] as const

/** A column of ours, and where the file has it: the first of these places that is not empty, or all of them joined. */
export type Place = { column: Column; indexes: readonly number[]; joined?: string }

export type Header = {
  width: number
  places: Place[]
  /** Rows that have none of these values there are left out. */
  only?: { index: number; values: readonly string[] }
  /** Where the file says for how many pieces a row stands. */
  quantity?: number
  /** Columns that nothing is read from. */
  ignored: string[]
  errors: RowError[]
}

/** The delimiter with which the header has the most known columns, then the most columns. */
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

/** The line by which a file tells Excel its delimiter: `sep=;`. */
export function separatorLine(line: string): string | undefined {
  return /^"?sep=(.)"?$/i.exec(line)?.[1]
}

/** Reads the header. Columns come in any order; each is known and appears once, and the key is among them. With a mapping, columns
 * that it does not name are ours if they are called like ours (`Serial Number`) and nothing else is, and are else ignored. */
export function readHeader(line: number, names: readonly string[], kind: Kind, mapping?: Mapping): Header {
  const errors: RowError[] = []
  const header: Header = { width: names.length, places: [], ignored: [], errors }
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
  if (at(mapping?.quantity) >= 0) header.quantity = at(mapping?.quantity)

  const tool = looksLike(kind.name, names)?.option
  for (const [index, name] of names.entries()) {
    if (taken.has(index) || index === header.only?.index || index === header.quantity) continue
    const column = columnOf(kind, name, mapping !== undefined)
    if (mapping?.ignored.some((theirs) => sameName(theirs, name))) continue
    if (column === undefined) {
      if (mapping === undefined) errors.push(unknownColumn(line, name, index, kind, tool))
      else if (name.trim() !== '') header.ignored.push(name.trim())
    } else if (header.places.some((place) => place.column === column)) {
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
  if (!header.places.some(({ column }) => column.name === kind.key)) {
    const problem = 'is missing, and it tells which row is which'
    errors.push({
      line,
      column: kind.key,
      value: null,
      problem,
      remedy:
        mapping === undefined
          ? `the header begins, for example: ${kind.key},…`
          : `say which column it is: --map THEIRS=${kind.key}`,
    })
  }
  return header
}

/** @param loosely blanks and hyphens stand for underscores */
function columnOf(kind: Kind, name: string, loosely = false): Column | undefined {
  const wanted = loosely ? spelt(name) : name.trim().toLowerCase()
  return kind.columns.find((column) => column.name === wanted)
}

function unknownColumn(line: number, name: string, index: number, kind: Kind, tool: string | undefined): RowError {
  return {
    line,
    column: `column ${index + 1}`,
    value: name,
    problem: name.trim() === '' ? 'has no name' : `is not a column of ${kind.name}`,
    remedy: name.trim() === '' ? 'name it, or remove it' : remedyFor(name.trim(), kind, tool),
  }
}

/** What other tools call so is told before what is spelt alike. */
function remedyFor(name: string, kind: Kind, tool: string | undefined): string {
  const wanted = spelt(name)
  const names = kind.columns.map((column) => column.name)
  const ours = names.includes(wanted) ? undefined : knownAs(kind.name, name, tool)
  if (ours !== undefined) return `probably ${ours}: --map '${name}=${ours}'`
  const meant = probablyMeant(wanted, names)
  return meant === undefined ? `leave it out with --map '${name}=', or remove it` : `the nearest is ${meant}`
}

function safely(header: string, delimiter: string): string[] {
  try {
    return cellsOf(header, delimiter)
  } catch {
    return []
  }
}
