import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
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
  /** Values in an answer: the fields of each record and each group that there may be. */
  values: 500_000,
  /** Bytes that the database returns for one request, and bytes of one answer. */
  answerBytes: 8_000_000,
} as const

/** What an aggregate costs: it reads every record of its list, at each place where the list occurs. */
const aggregateCost = 50

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

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

function fragmentsOf(document: DocumentNode): Fragments {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  return fragments
}

/**
 * Refuses a document that is too deep or has too many fields. Needs no schema and comes before validation, which takes
 * long for such documents. Fragments are measured once each, so a chain of doubling fragments costs little, too.
 *
 * @throws TooMuch
 */
export function limitShape(document: DocumentNode): void {
  const fragments = fragmentsOf(document)
  const measured = new Map<string, { depth: number; fields: number } | null>()

  const measure = (selections: SelectionSetNode | undefined): { depth: number; fields: number } => {
    let [depth, fields] = [0, 0]
    for (const selection of selections?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        limitValues(selection)
        const inner = measure(selection.selectionSet)
        depth = Math.max(depth, inner.depth + 1)
        fields += inner.fields + 1
      } else {
        const inner =
          selection.kind === Kind.INLINE_FRAGMENT
            ? measure(selection.selectionSet)
            : measureFragment(selection.name.value)
        depth = Math.max(depth, inner.depth)
        fields += inner.fields
      }
    }
    return { depth, fields }
  }
  const measureFragment = (name: string) => {
    const known = measured.get(name)
    // A fragment within itself: validation refuses it, here it only has to end.
    if (known === null) return { depth: 0, fields: 0 }
    if (known !== undefined) return known
    measured.set(name, null)
    const found = measure(fragments.get(name)?.selectionSet)
    measured.set(name, found)
    return found
  }

  let fields = 0
  for (const definition of document.definitions) {
    if (!('selectionSet' in definition)) continue
    const found = measure(definition.selectionSet)
    fields += found.fields
    if (found.depth > limits.depth) throw new TooMuch(`The query is deeper than ${limits.depth} levels.`)
    if (fields > limits.fields) {
      throw new TooMuch(
        `The query has more than ${limits.fields} fields, with those of fragments at each place: split it into several.`,
      )
    }
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

/**
 * Refuses a valid operation whose lists are unbounded or that costs too much. Each object costs one; a list as many as
 * `first` or `last` say, and so does everything within it; aggregates and counts cost fifty at each place where they occur.
 *
 * @throws TooMuch
 */
export function limitCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): void {
  const fragments = fragmentsOf(document)
  const defaults = new Map(
    operation.variableDefinitions?.map((given) => [given.variable.name.value, given.defaultValue]),
  )
  let [cost, values] = [0, 0]

  const spend = (amount: number) => {
    cost += amount
    if (cost > limits.cost) {
      throw new TooMuch(
        `The query costs more than ${limits.cost}, where an object costs 1 and an aggregate or a count ${aggregateCost}, ` +
          'multiplied by the "first" of the lists around it: ask for fewer records, less of each, or split the query.',
      )
    }
  }
  const count = (amount: number) => {
    values += amount
    if (values > limits.values) {
      throw new TooMuch(
        `The answer may have more than ${limits.values} values: ask for fewer records or fields; ` +
          'for groups within a list, say with "first" how many of them.',
      )
    }
  }
  const argumentOf = (field: FieldNode, name: string) => {
    const value = field.arguments?.find((argument) => argument.name.value === name)?.value
    return value && numberOf(value, variables, defaults)
  }
  const rowsOf = (field: FieldNode): number => {
    let rows = Number.POSITIVE_INFINITY
    for (const name of ['first', 'last']) {
      const given = argumentOf(field, name)
      if (given === undefined) continue
      if (given < 0 || given > limits.rows) throw new TooMuch(`"${name}" is a number from 0 to ${limits.rows}.`)
      rows = Math.min(rows, given)
    }
    return rows
  }
  const visit = (selections: SelectionSetNode, type: GraphQLObjectType, times: number, rows: number): void => {
    for (const selection of selections.selections) {
      if (selection.kind !== Kind.FIELD) {
        const inner = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
        if (inner) visit(inner.selectionSet, type, times, rows)
        continue
      }
      const name = selection.name.value
      const result = type.getFields()[name]?.type
      if (result === undefined) continue // introspection, which validation bounds
      if (!selection.selectionSet) count(times)
      if (isOfConnection(type)) visitPart(selection, name, getNamedType(result), times, rows)
      else visitField(selection, getNamedType(result), times)
    }
  }
  /** A field of a connection: its records, or something about all of them. */
  const visitPart = (field: FieldNode, name: string, result: unknown, times: number, rows: number) => {
    if (name === 'nodes' || name === 'edges' || name === 'pageInfo') {
      if (rows === Number.POSITIVE_INFINITY) {
        throw new TooMuch(`A list needs "first" or "last", from 0 to ${limits.rows}.`)
      }
      spend(times * rows)
      if (field.selectionSet && isObjectType(result)) visit(field.selectionSet, result, times * rows, 0)
    } else {
      spend(times * aggregateCost)
      if (!field.selectionSet) return
      const groups = name === 'groupedAggregates' ? Math.min(rowsOf(field), limits.groups) : 1
      if ((argumentOf(field, 'offset') ?? 0) < 0) throw new TooMuch('"offset" is a number from 0 on.')
      count(times * groups * leavesOf(field.selectionSet, fragments))
    }
  }
  const visitField = (field: FieldNode, result: unknown, times: number) => {
    if (!field.selectionSet || !isObjectType(result)) return
    if (!isOfEdge(result)) spend(times)
    visit(field.selectionSet, result, times, isOfConnection(result) ? rowsOf(field) : 0)
  }

  const query = schema.getQueryType()
  if (query) visit(operation.selectionSet, query, 1, 0)
}

/** How many values a record with these fields has. */
function leavesOf({ selections }: SelectionSetNode, fragments: Fragments): number {
  return selections.reduce((sum, selection) => {
    if (selection.kind === Kind.FIELD)
      return sum + (selection.selectionSet ? leavesOf(selection.selectionSet, fragments) : 1)
    const inner = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
    return sum + (inner ? leavesOf(inner.selectionSet, fragments) : 0)
  }, 0)
}

function isOfConnection(type: GraphQLObjectType): boolean {
  return type.name.endsWith('Connection')
}

function isOfEdge(type: GraphQLObjectType): boolean {
  return type.name.endsWith('Edge')
}

function numberOf(
  value: ValueNode,
  variables: Readonly<Record<string, unknown>>,
  defaults: ReadonlyMap<string, ValueNode | undefined>,
): number | undefined {
  if (value.kind === Kind.INT) return Number(value.value)
  if (value.kind !== Kind.VARIABLE) return undefined
  const name = value.name.value
  if (Object.hasOwn(variables, name)) return typeof variables[name] === 'number' ? variables[name] : undefined
  const defaultValue = defaults.get(name)
  return defaultValue?.kind === Kind.INT ? Number(defaultValue.value) : undefined
}
