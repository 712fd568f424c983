import { execute } from 'grafast'
import {
  type DocumentNode,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'grafast/graphql'
import type { RunStatement } from './analyst-transaction.ts'
import { maskedError, Refused, refuse, type ShownError, shownError } from './answers.ts'
import { limitCost } from './cost.ts'
import { checkGroups, checkSize, fragmentsOf, limitShape, limits, limitVariables } from './limits.ts'
import { type BuiltSchema, planContext } from './schema.ts'

type GraphqlRequest = { query: string; operationName: string | undefined; variables: Record<string, unknown> }

type Prepared = GraphqlRequest & { document: DocumentNode; operation: OperationDefinitionNode }

const maxErrors = 5

/** Reads a request's body. Ignores other fields: settings, extensions, ids of stored queries.
 * @throws Refused */
export function readRequest(body: unknown): GraphqlRequest {
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
  return refuse('bad_request', 'Send a JSON object with "query", and optionally "variables" and "operationName".')
}

/** Validates a query without the database: size, shape, schema, cost. Each step bounds the next
 * one's input.
 * @throws Refused, TooMuch */
export function prepare({ schema }: BuiltSchema, request: GraphqlRequest): Prepared {
  const document = parsed(request.query)
  limitShape(document)
  limitVariables(request.variables)
  const errors = validate(schema, document, specifiedRules, { maxErrors: maxErrors })
  if (errors.length > 0) throw new Refused(errors.map((error) => shownError(error, 'invalid_query')))
  const operation = getOperationAST(document, request.operationName)
  if (!operation) throw refuse('bad_request', 'Name the operation to execute in "operationName".')
  if (operation.operation !== 'query') throw refuse('invalid_query', 'Only queries are supported.')
  limitCost(schema, document, operation, request.variables)
  return { ...request, document, operation }
}

function parsed(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: limits.tokens, noLocation: false })
  } catch (error) {
    if (error instanceof GraphQLError) throw new Refused([shownError(error, 'syntax_error')])
    throw error
  }
}

type Executed = { data: unknown; errors?: readonly ShownError[] }

/** Executes a prepared request in a transaction.
 * @param run runs statements in the transaction, in the studio's session
 * @param hidden takes the causes of errors that the client does not see
 * @returns Refused when nothing could run; not thrown, because the transaction did not fail */
export async function executePrepared(
  { schema, resolvedPreset }: BuiltSchema,
  { document, operation, variables, operationName }: Prepared,
  run: RunStatement,
  hidden: (cause: unknown) => void,
): Promise<Executed | Refused> {
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
  if (result.data === undefined) return new Refused(errors ?? [])
  return { data: result.data, ...(errors && { errors }) }
}

/** Refuses too large an answer. Its transaction has ended, so none waits. @throws TooMuch */
export function checkAnswer({ document, operation }: Prepared, { data }: Executed): void {
  if (data === null) return
  checkGroups(fragmentsOf(document), operation.selectionSet, data)
  checkSize(data)
}
