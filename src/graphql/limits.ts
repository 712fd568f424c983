import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
  type ValueNode,
} from 'postgraphile/graphql'

/** The limits of one request. */
export const limits = {
  /** Characters of the body, and tokens of the query: checked before anything is parsed. */
  bodyBytes: 64 * 1024,
  tokens: 2_000,
  /** Levels of fields within fields, and of filters within filters. */
  depth: 20,
  /** Fields, with what fragments bring counted at each place. */
  fields: 500,
  /** Records of one list, by `first` or `last`. */
  rows: 1_000,
  /** Groups of one `groupedAggregates`, unless it is read in pages; and of one page. */
  groups: 1_000,
  /** What a request may cost; see `limitCost`. */
  cost: 10_000,
  /** Bytes that the database returns for one request, and bytes of one answer. */
  answerBytes: 8_000_000,
} as const

const mb = limits.answerBytes / 1_000_000

/** What to do about an answer that is too large. */
export const tooLarge = `The answer is larger than ${mb} MB: request fewer records, groups or fields, or read it in pages.`

/** What to do about a list of groups that is too long. */
export const tooManyGroups =
  `There are more than ${limits.groups} groups: group by fewer fields, narrow the records with "filter", ` +
  'or read the groups in pages with "first" and "offset".'

/** A query exceeds a limit; the message goes to the client. */
export class TooMuch extends Error {
  override name = 'TooMuch'
}

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
}

/** Refuses a document that is too deep or has too many fields. Needs no schema and comes before validation, which
 * takes long for such documents. Fragments are followed at each place, and there may be as many places as fields.
 * @throws TooMuch */
export function limitShape(document: DocumentNode): void {
  const fragments = fragmentsOf(document)
  let [fields, spreads] = [0, 0]

  /** @param within names of the fragments around these fields: validation refuses a circle, here it only has to end */
  const measure = (node: SelectionSetNode | undefined, depth: number, within: readonly string[]): void => {
    if (fields > limits.fields || spreads > limits.fields) {
      throw new TooMuch(
        `The query has more than ${limits.fields} fields, with those of fragments at each place: split it into several.`,
      )
    }
    if (depth > limits.depth) throw new TooMuch(`The query is deeper than ${limits.depth} levels.`)
    for (const selection of node?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        fields += 1
        limitValues(selection)
        measure(selection.selectionSet, depth + 1, within)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) measure(selection.selectionSet, depth, within)
      else {
        spreads += 1
        const name = selection.name.value
        if (!within.includes(name)) measure(fragments.get(name)?.selectionSet, depth, [...within, name])
      }
    }
  }
  for (const definition of document.definitions) {
    if ('selectionSet' in definition) measure(definition.selectionSet, 0, [])
  }
}

function limitValues(field: FieldNode): void {
  const depth = (value: ValueNode): number => {
    if (value.kind === Kind.LIST) return 1 + Math.max(0, ...value.values.map(depth))
    if (value.kind === Kind.OBJECT) return 1 + Math.max(0, ...value.fields.map((inner) => depth(inner.value)))
    return 0
  }
  for (const argument of field.arguments ?? []) {
    if (depth(argument.value) > limits.depth) throw new TooMuch(`A filter is deeper than ${limits.depth} levels.`)
  }
}

/** Refuses variables that are too deep. @throws TooMuch */
export function limitVariables(variables: unknown): void {
  let level: unknown[] = [variables]
  // The variables themselves are the first level.
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limits.depth + 1) throw new TooMuch(`A variable is deeper than ${limits.depth} levels.`)
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  }
}

/** Refuses an answer that is too large, before it is written as JSON: an alias repeats a long text that is in memory
 * once. @throws TooMuch */
export function checkSize(data: unknown): void {
  let bytes = 0
  const measure = (value: unknown): void => {
    if (typeof value === 'string') bytes += Buffer.byteLength(value) + 3
    else if (typeof value !== 'object' || value === null) bytes += 6
    else {
      for (const name in value) {
        if (!Array.isArray(value)) bytes += name.length + 3
        measure((value as Record<string, unknown>)[name])
      }
    }
    if (bytes > limits.answerBytes) throw new TooMuch(tooLarge)
  }
  measure(data)
}

/** Refuses lists of groups that are longer than they may be, where their page was not asked for: the plan reads one
 * more. @throws TooMuch */
export function checkGroups(fragments: Fragments, selections: SelectionSetNode, data: unknown): void {
  for (const field of fieldsOf(fragments, selections)) {
    const value = (data as Record<string, unknown>)[(field.alias ?? field.name).value]
    if (field.selectionSet === undefined || value === null || value === undefined) continue
    if (field.name.value === 'groupedAggregates') {
      if (Array.isArray(value) && value.length > limits.groups) throw new TooMuch(tooManyGroups)
      continue
    }
    for (const inner of Array.isArray(value) ? value : [value]) {
      if (inner !== null) checkGroups(fragments, field.selectionSet, inner)
    }
  }
}

/** The fields of a record, with those of fragments. */
export function fieldsOf(fragments: Fragments, { selections }: SelectionSetNode): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection]
    const inner = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
    return inner ? fieldsOf(fragments, inner.selectionSet) : []
  })
}
