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

/** An aggregate costs this much at each place, because it reads every record of its list. */
const aggregateCost = 50

/** Refuses a valid operation with an unbounded list or too high a cost. An object costs 1; a
 * list multiplies what is in it by `first` or `last`; an aggregate or a count costs 50 at each
 * place.
 * @throws TooMuch */
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
      if (result === undefined) continue // introspection, bounded by validation
      if (isConnection(type)) visitPart(field, name, getNamedType(result), times, rows)
      else visitField(field, getNamedType(result), times)
    }
  }
  /** A field of a connection: its records, or a value about all of them. */
  const visitPart = (field: FieldNode, name: string, result: unknown, times: number, rows: number) => {
    if (name === 'nodes' || name === 'edges' || name === 'pageInfo') {
      if (rows === Number.POSITIVE_INFINITY) {
        throw new TooMuch(`A list needs "first" or "last", from 0 to ${limits.rows}.`)
      }
      spend(times * rows)
      if (field.selectionSet && isObjectType(result)) visit(field.selectionSet, result, times * rows, 0)
    } else {
      spend(times * aggregateCost)
      // Too large a page of groups.
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
