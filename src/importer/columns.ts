import { type Mapping, mappingOf, sameName, spelt } from './foreign/mapping.ts'
import { type Suggestion, suggestions } from './foreign/meanings.ts'
import { looksLike, tools } from './foreign/tools.ts'
import type { Kind } from './kinds/kind.ts'

/** How somebody wants the columns of a file to be read. */
export type ColumnChoice = {
  /** A tool by its name; `ours`: the columns are named like ours; `guess`: recognise the tool, else guess by the names. */
  from: string
  /** `Theirs=ours`; with nothing behind the equals sign the column is left out. These come before what a tool is known for. */
  said: readonly string[]
}

/** A column of a file, and what it is read as: null when nothing is read from it. */
export type ReadColumn = {
  theirs: string
  ours: string | null
  /** That is what its name probably means, and nobody has said it. */
  suggested?: true
  /** What the first row that has something there has. */
  sample?: string
}

/** The mapping of a file whose header is known. @returns also the title of the tool that was recognised, if one was,
 * and which of the columns are guessed @throws MappingRefused */
export function chosenMapping(kind: Kind, names: readonly string[], { from, said }: ColumnChoice) {
  const recognised = from === 'guess' ? looksLike(kind.name, names) : undefined
  const tool = tools[recognised?.option ?? from]
  const guessed = from === 'guess' && tool === undefined ? guesses(kind, names, mappingOf(kind, said)) : []
  const pairs = [...said, ...guessed.map(({ theirs, ours }) => `${theirs}=${ours}`)]
  const suggested = guessed.filter(({ same }) => !same).map(({ theirs }) => theirs)
  return { mapping: mappingOf(kind, pairs, tool), suggested, ...(recognised && { recognised: recognised.title }) }
}

/** What each column is read as without any choice. @returns
 * undefined when that is a guess, which depends on the choices for others */
export function readUnsaid(kind: Kind, names: readonly string[], from: string): ReadColumn[] | undefined {
  const tool = tools[(from === 'guess' ? looksLike(kind.name, names)?.option : undefined) ?? from]
  if (from === 'guess' && tool === undefined) return undefined
  return readColumns(kind, names, mappingOf(kind, [], tool))
}

/** What each column without a choice probably is. */
function guesses(kind: Kind, all: readonly string[], { columns, ignored }: Mapping): Suggestion[] {
  const said = [...ignored, ...Object.values(columns).flatMap(({ from }) => from)]
  const names = all.filter((name) => !said.some((theirs) => sameName(theirs, name)))
  const ours = kind.columns.map(({ name }) => name).filter((name) => columns[name] === undefined)
  return suggestions(kind, names, ours)
}

/** What each column of a file is read as, by its mapping. */
export function readColumns(kind: Kind, names: readonly string[], mapping: Mapping): ReadColumn[] {
  const isLeftOut = (name: string) => mapping.ignored.some((theirs) => sameName(theirs, name))
  return names.map((theirs) => {
    const mapped = Object.entries(mapping.columns).find(([, { from }]) => from.some((name) => sameName(name, theirs)))
    const own = kind.columns.find(({ name }) => name === spelt(theirs) && !isMapped(mapping, names, name))?.name
    return { theirs, ours: mapped?.[0] ?? (isLeftOut(theirs) ? null : (own ?? null)) }
  })
}

const isMapped = (mapping: Mapping, names: readonly string[], ours: string) =>
  mapping.columns[ours]?.from.some((theirs) => names.some((name) => sameName(name, theirs))) ?? false
