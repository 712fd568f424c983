import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
  type ValueNode,
} from 'postgraphile/graphql'

export const limits = {
  /** Characters of the body and tokens of the query, checked before parsing. */
  bodyBytes: 64 * 1024,
  tokens: 2_000,
  /** Nested fields, and nested filters. */
  depth: 20,
  /** Fields, including those of fragments at each place. */
  fields: 500,
  /** Records of a list, by `first` or `last`. */
  rows: 1_000,
  /** Groups of one `groupedAggregates`, or of one page of it. */
  groups: 1_000,
  /** The greatest cost of a request; see `limitCost`. */
  cost: 10_000,
  /** Characters of the text with which a filter compares a part of another one. */
  pattern: 64,
  /** Bytes that the database returns for a request, and bytes of an answer. */
  answerBytes: 8_000_000,
} as const

const mb = limits.answerBytes / 1_000_000

export const tooLarge = `The answer is larger than ${mb} MB: request fewer records, groups or fields, or read it in pages.`

const tooManyGroups =
  `There are more than ${limits.groups} groups: group by fewer fields, narrow the records with "filter", ` +
  'or read the groups in pages with "first" and "offset".'

/** A query exceeds a limit. The client gets the message. */
export class TooMuch extends Error {
  override name = 'TooMuch'
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
}

/** Refuses a document that is too deep or has too many fields. It comes before validation, which
 * is slow for such documents, and needs no schema. Follows fragments at each place; there may
 * be as many places as fields.
 * @throws TooMuch */
export function limitShape(document: DocumentNode): void {
  const fragments = fragmentsOf(document)
  let [fields, spreads] = [0, 0]

  /** @param within names of the fragments around these fields, to end circles */
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

/** Refuses variables that are nested too deep. @throws TooMuch */
export function limitVariables(variables: unknown): void {
  let level: unknown[] = [variables]
  // The variables themselves are the first level.
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limits.depth + 1) throw new TooMuch(`A variable is deeper than ${limits.depth} levels.`)
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  }
}

/** Refuses too large an answer before it becomes JSON: an alias repeats a long text that memory
 * holds once.
 * @throws TooMuch */
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

/** Refuses an unpaged list of groups that is too long. The plan reads one group more than
 * allowed.
 * @throws TooMuch */
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

/** The fields of a record, including those of fragments. */
export function fieldsOf(fragments: Fragments, { selections }: SelectionSetNode): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection]
    const inner = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
    return inner ? fieldsOf(fragments, inner.selectionSet) : []
  })
}
