import { type CheckedColumns, checkedColumns } from './csv/checked-columns.ts'
import { type Mapping, mappingOf, normalizedName, sameName, type Tool } from './foreign/mapping.ts'
import { type Suggestion, suggestions } from './foreign/meanings.ts'
import { looksLike, ownFile, tools } from './foreign/tools.ts'
import type { Kind } from './kinds/kind.ts'

/** The user's choice of how to read a file's columns. */
export type ColumnChoice = {
  /** A tool's name; `ours`: our own names; `guess`: recognise the tool, or guess by the names. */
  from: string
  /** `Theirs=ours`; nothing after the equals sign leaves the column out. Overrides the tool. */
  said: readonly string[]
}

/** A column of a file. `ours` is the column of ours that it is read as; null when it is not read. */
export type ReadColumn = {
  theirs: string
  ours: string | null
  /** A guess from its name, which nobody has confirmed. */
  suggested?: true
  /** The column is not read, but the import checks it in each row as this. */
  checked?: keyof CheckedColumns
  /** Its first value. */
  sample?: string
}

/** Makes the mapping for a header. @returns also what the file was recognised as, in words, and which columns it
 * guessed @throws MappingRefused */
export function chosenMapping(kind: Kind, names: readonly string[], { from, said }: ColumnChoice) {
  const { tool, recognised } = toolFor(kind, names, from)
  const guessed = from === 'guess' && tool === undefined ? guesses(kind, names, mappingOf(kind, said)) : []
  const pairs = [...said, ...guessed.map(({ theirs, ours }) => `${theirs}=${ours}`)]
  const suggested = guessed.filter(({ same }) => !same).map(({ theirs }) => theirs)
  return { mapping: mappingOf(kind, pairs, tool), suggested, ...(recognised !== undefined && { recognised }) }
}

/** Finds the tool that wrote a file: the one that the user chose, or the one that its header shows. `recognised`
 * says the second in words. */
function toolFor(kind: Kind, names: readonly string[], from: string): { tool?: Tool | undefined; recognised?: string } {
  if (from !== 'guess') return { tool: tools[from] }
  const own = ownFile(kind.name, names)
  if (own) return { tool: own, recognised: own.title }
  const seen = looksLike(kind.name, names)
  return seen ? { tool: tools[seen.option], recognised: `exported from ${seen.title}` } : {}
}

/** Says how the columns are read before anybody chooses. @returns undefined if it would guess, because guesses
 * depend on the choices */
export function readColumnsWithoutChoices(
  kind: Kind,
  names: readonly string[],
  from: string,
): ReadColumn[] | undefined {
  const { tool } = toolFor(kind, names, from)
  if (from === 'guess' && tool === undefined) return undefined
  return readColumns(kind, names, mappingOf(kind, [], tool))
}

/** Guesses the meaning of the columns for which nobody has chosen one. */
function guesses(kind: Kind, all: readonly string[], { columns, ignored }: Mapping): Suggestion[] {
  const said = [...ignored, ...Object.values(columns).flatMap(({ from }) => from)]
  const names = all.filter((name) => !said.some((theirs) => sameName(theirs, name)))
  const ours = kind.columns.map(({ name }) => name).filter((name) => columns[name] === undefined)
  return suggestions(kind, names, ours)
}

/** How each column of a file is read, by its mapping, and which of the others are checked. */
export function readColumns(kind: Kind, names: readonly string[], mapping: Mapping): ReadColumn[] {
  const isLeftOut = (name: string) => mapping.ignored.some((theirs) => sameName(theirs, name))
  const columns = names.map((theirs): ReadColumn => {
    const mapped = Object.entries(mapping.columns).find(([, { from }]) => from.some((name) => sameName(name, theirs)))
    const own = kind.columns.find(
      ({ name }) => name === normalizedName(theirs) && !isMapped(mapping, names, name),
    )?.name
    return { theirs, ours: mapped?.[0] ?? (isLeftOut(theirs) ? null : (own ?? null)) }
  })
  const checked = checkedColumns(kind, names, (at) => columns[at]?.ours !== null)
  for (const what of ['quantities', 'currency', 'states'] as const) {
    for (const { index } of [checked[what] ?? []].flat()) if (columns[index]) columns[index].checked = what
  }
  return columns
}

const isMapped = (mapping: Mapping, names: readonly string[], ours: string) =>
  mapping.columns[ours]?.from.some((theirs) => names.some((name) => sameName(name, theirs))) ?? false
