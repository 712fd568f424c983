import { execute } from 'postgraphile/grafast'
import {
  type DocumentNode,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'postgraphile/graphql'
import type { RunStatement } from '../../database/analyst-transaction.ts'
import { maskedError, Refused, refuse, type ShownError, shownError } from './errors.ts'
import { orderGroups } from './groups.ts'
import { limitCost, limitShape, limits, limitVariables } from './limits.ts'
import { type BuiltSchema, planContext } from './schema.ts'

/** What a client sent. */
export type Question = { query: string; operationName: string | undefined; variables: Record<string, unknown> }

/** A question that may be executed. */
export type Prepared = Question & { document: DocumentNode; operation: OperationDefinitionNode }

/** How many faults of one query are told. */
const maxErrors = 5

/**
 * Reads the body of a request. What else it holds (settings, extensions, ids of stored queries) is not looked at.
 *
 * @throws Refused
 */
export function readQuestion(body: unknown): Question {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw badBody()
  const { query, operationName, variables } = body as Record<string, unknown>
  if (typeof query !== 'string') throw badBody()
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') throw badBody()
  if (variables !== undefined && variables !== null && (typeof variables !== 'object' || Array.isArray(variables))) {
    throw badBody()
  }
  return { query, operationName: operationName ?? undefined, variables: { ...variables } }
}

function badBody(): Refused {
  return refuse('bad_request', 'Send a JSON object with "query", and if need be "variables" and "operationName".')
}

/**
 * Judges a question without the database: its size, its shape, whether it fits the schema, what it costs, in this order,
 * so that each step has little enough to look at.
 *
 * @throws Refused, TooMuch
 */
export function prepare({ schema }: BuiltSchema, question: Question): Prepared {
  const document = parsed(question.query)
  limitShape(document)
  limitVariables(question.variables)
  const faults = validate(schema, document, specifiedRules, { maxErrors: maxErrors })
  if (faults.length > 0) throw new Refused(faults.map((fault) => shownError(fault, 'invalid_query')))
  const operation = getOperationAST(document, question.operationName)
  if (!operation) throw refuse('bad_request', 'Name the operation to execute in "operationName".')
  if (operation.operation !== 'query') throw refuse('invalid_query', 'There are only queries.')
  limitCost(schema, document, operation, question.variables)
  return { ...question, document, operation }
}

function parsed(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: limits.tokens, noLocation: false })
  } catch (error) {
    if (error instanceof GraphQLError) throw new Refused([shownError(error, 'syntax_error')])
    throw error
  }
}

export type Answered = { data: unknown; errors?: readonly ShownError[] }

/**
 * Executes a prepared question in a transaction.
 *
 * @param run the statements' way into the transaction, in which the studio's session is open
 * @param hidden is told what the client is not
 * @throws Refused when nothing could be executed
 */
export async function answer(
  { schema, resolvedPreset }: BuiltSchema,
  { document, operation, variables, operationName }: Prepared,
  run: RunStatement,
  hidden: (cause: unknown) => void,
): Promise<Answered> {
  const result = await execute({
    schema,
    document,
    variableValues: variables,
    operationName: operationName ?? operation.name?.value ?? null,
    contextValue: planContext(run),
    resolvedPreset,
  })
  if (!('data' in result) && !('errors' in result)) throw new Error('the answer is a stream')
  const errors = result.errors?.map((error) => maskedError(error, hidden))
  if (result.data === undefined) throw new Refused(errors ?? [])
  if (result.data !== null) orderGroups(document, operation.selectionSet, result.data)
  return { data: result.data, ...(errors && { errors }) }
}
