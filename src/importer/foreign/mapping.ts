import { probablyMeant } from '../../domain/text.ts'
import type { Kind } from '../kinds/kind.ts'

/** Where a column of ours comes from: the first of theirs that is not empty, or all of them joined. */
export type Origin = { from: readonly string[]; joined?: string }

/** Which columns of a file are which of ours. Their names are compared without regard to case. */
export type Mapping = {
  /** By our name of the column. */
  columns: Readonly<Record<string, Origin>>
  /** Columns that are left out without a word. */
  ignored: readonly string[]
  /** Only rows with one of these values are read: other rows are something else. */
  only?: { column: string; values: readonly string[] }
  /** Rows with this text in the column are something else. */
  except?: { column: string; contains: string; what: string }
  /** Columns that tell its rows apart where the one for our key is empty. */
  spareKeys?: readonly string[]
  /** The column that says for how many pieces a row stands. Here each row is one. */
  quantity?: string
}

/** What a tool calls the columns of its export. Plain data, for one kind of file. */
export type Tool = Mapping & {
  /** As people know it. */
  title: string
  kind: Kind['name']
  /** For the reference: what to know of its exports. */
  remark?: string
}

export class MappingRefused extends Error {
  override name = 'MappingRefused'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

export const sameName = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase()

/** Puts what the user says (`Asset Name=name`; `Company=` leaves a column out) before what a tool
 * is known for. Several columns for one of ours are tried in their order. @throws MappingRefused */
export function mappingOf(kind: Kind, said: readonly string[], tool?: Tool): Mapping {
  if (tool !== undefined && tool.kind !== kind.name) {
    throw new MappingRefused(
      `the columns of ${tool.title} are known for ${tool.kind}, not for ${kind.name}`,
      'Say what the columns are: --map THEIRS=OURS',
    )
  }
  const own: Record<string, string[]> = {}
  const ignored: string[] = []
  for (const pair of said) {
    const [theirs, ours] = pairOf(pair)
    const column = kind.columns.find(({ name }) => sameName(name, ours))
    if (ours === '') ignored.push(theirs)
    else if (column === undefined) {
      const names = kind.columns.map(({ name }) => name)
      const meant = probablyMeant(ours, names)
      throw new MappingRefused(
        `${kind.name} have no column "${ours}"${meant === undefined ? '' : `: did you mean "${meant}"?`}`,
        `The columns: ${names.join(', ')}`,
      )
    } else {
      own[column.name] ??= []
      own[column.name]?.push(theirs)
    }
  }
  const taken = [...ignored, ...Object.values(own).flat()]
  const left = Object.entries(tool?.columns ?? {}).map(([ours, origin]): [string, Origin] => [
    ours,
    { ...origin, from: origin.from.filter((theirs) => !taken.some((name) => sameName(name, theirs))) },
  ])
  return {
    ...tool,
    columns: {
      ...Object.fromEntries(left),
      ...Object.fromEntries(Object.entries(own).map(([ours, from]) => [ours, { from }])),
    },
    ignored,
  }
}

function pairOf(pair: string): [string, string] {
  const at = pair.lastIndexOf('=')
  if (at <= 0) {
    throw new MappingRefused(`"${pair}" does not say which column is which`, "Write it as in: --map 'Asset Name=name'")
  }
  return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
}

/** The pairs of a file of mappings: one in a line; empty lines and those that begin with # do not count. */
export function pairsIn(text: string): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** The name of a column as ours are spelt: `Serial Number` as `serial_number`. */
export const spelt = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
