import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'postgraphile/graphql'
import { fieldsOf, fragmentsOf, limits, TooMuch } from './limits.ts'

/** What an aggregate costs: it reads every record of its list, at each place where the list occurs. */
const aggregateCost = 50

/** Refuses a valid operation whose lists are unbounded or that costs too much. Each object costs one; a list as many
 * as `first` or `last` say, and so does everything within it; aggregates and counts cost fifty at each place where
 * they occur. @throws TooMuch */
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
  let cost = 0

  const spend = (amount: number) => {
    cost += amount
    if (cost > limits.cost) {
      throw new TooMuch(
        `The query costs more than ${limits.cost}, where an object costs 1 and an aggregate or a count ${aggregateCost}, ` +
          'multiplied by the "first" of the lists around it: ask for fewer records, less of each, or split the query.',
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
    for (const field of fieldsOf(fragments, selections)) {
      const name = field.name.value
      const result = type.getFields()[name]?.type
      if (result === undefined) continue // introspection, which validation bounds
      if (isConnection(type)) visitPart(field, name, getNamedType(result), times, rows)
      else visitField(field, getNamedType(result), times)
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
      // Of groups, a page that is larger than it may be.
      if (name === 'groupedAggregates') rowsOf(field)
      if ((argumentOf(field, 'offset') ?? 0) < 0) throw new TooMuch('"offset" is a number from 0 on.')
    }
  }
  const visitField = (field: FieldNode, result: unknown, times: number) => {
    if (!field.selectionSet || !isObjectType(result)) return
    if (!result.name.endsWith('Edge')) spend(times)
    visit(field.selectionSet, result, times, isConnection(result) ? rowsOf(field) : 0)
  }

  const query = schema.getQueryType()
  if (query) visit(operation.selectionSet, query, 1, 0)
}

function isConnection(type: GraphQLObjectType): boolean {
  return type.name.endsWith('Connection')
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
