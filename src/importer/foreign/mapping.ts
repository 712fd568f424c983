import { closestMatch } from '../../domain/text.ts'
import type { Kind } from '../kinds/kind.ts'
import { Refused } from '../row-errors.ts'

/** The sources of a column of ours: the first that is not empty, or all joined. */
export type Origin = {
  from: readonly string[]
  joined?: string
  /** Its values have commas between them; `first` takes only the first of them. */
  commas?: 'all' | 'first'
  /** Reads a row's cell only if this other cell of the row is filled. */
  ifFilled?: string
}

/** Which of a file's columns are ours. Names match in any case. */
export type Mapping = {
  columns: Readonly<Record<string, Origin>>
  /** Columns left out silently. */
  ignored: readonly string[]
  /** Reads only rows with one of these values. */
  only?: { column: string; values: readonly string[] }
  /** Rows with this text in the column are something else. */
  except?: { column: string; contains: string; what: string }
  /** Columns that mean something else in a file that has another column, too. */
  unless?: Readonly<Record<string, string>>
  /** Columns that tell its rows apart where the one for our key is empty. */
  spareKeys?: readonly string[]
  /** Rows that are one piece, whatever their quantity: those with this text in the column. */
  singles?: { column: string; contains: string }
  /** This service wrote the file, so nothing is lost in the columns that are not read. */
  own?: true
  /** Its name for people, if it is known. */
  title?: string
}

/** A tool's names for the columns of its export. Plain data, for one kind of file. */
export type Tool = Mapping & {
  /** Its name for people. */
  title: string
  kind: Kind['name']
  /** A remark on its exports, for the reference. */
  remark?: string
}

export class MappingRefused extends Refused {
  override name = 'MappingRefused'
}

export const sameName = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase()

/** Puts the user's choices (`Asset Name=name`; `Company=` omits a column) before the tool's.
 * Several columns for one of ours are tried in order. @throws MappingRefused */
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
      const meant = closestMatch(ours, names)
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
    ignored: [...ignored, ...(tool?.ignored ?? []).filter((name) => !taken.some((theirs) => sameName(theirs, name)))],
  }
}

function pairOf(pair: string): [string, string] {
  const at = pair.lastIndexOf('=')
  if (at <= 0) {
    throw new MappingRefused(`"${pair}" does not say which column is which`, "Write it as in: --map 'Asset Name=name'")
  }
  return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
}

/** A column's name in our spelling: `Serial Number` becomes `serial_number`. */
export const normalizedName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
