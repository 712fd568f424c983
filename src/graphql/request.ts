import express, { type RequestHandler } from 'express'
import type { ExpressGrafserv } from 'postgraphile/grafserv/express/v4'
import {
  type DocumentNode,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
} from 'postgraphile/graphql'
import { z } from 'zod'
import { declined, Refused, refuse, shownError } from './answers.ts'
import { limitCost } from './cost.ts'
import { limitShape, limits, limitVariables } from './limits.ts'

const graphqlRequest = z.object({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
})

/** How many errors of one query the client sees. */
const maxErrors = 5

const parseJson = express.json({ type: 'application/json', limit: limits.bodyBytes, inflate: false })

/** Reads a request's body (413, 415, 400). Another site cannot send this type without a CORS
 * preflight, so it cannot make a browser send a query. */
export const readBody: RequestHandler = (request, response, next) => {
  parseJson(request, response, (error?: { status?: number }) => {
    if (error?.status === 413) return next(declined('payload_too_large'))
    if (error && error.status !== 415) return next(badBody())
    next(request.body === undefined ? declined('unsupported_media_type') : undefined)
  })
}

/** Makes the handler that refuses queries without the database: size, shape, schema, cost. Each
 * step bounds the next one's input. Grafserv then gets the query, its variables and its
 * operation's name, and nothing else from the body: no settings, extensions or stored queries.
 * @throws Refused, TooMuch */
export function checkQueries(grafserv: ExpressGrafserv): RequestHandler {
  return async (request, _response, next) => {
    const asked = graphqlRequest.safeParse(request.body)
    if (!asked.success) throw badBody()
    const { query, operationName, variables } = asked.data
    limitShape(parsed(query))
    limitVariables(variables)
    const { schema, parseAndValidate } = await grafserv.getExecutionConfig({})
    // Grafserv keeps the results of the last queries, and uses this one.
    const { document, errors } = parseAndValidate(query)
    if (document === undefined) {
      throw new Refused(errors.slice(0, maxErrors).map((error) => shownError(error, 'invalid_query')))
    }
    limitCost(schema, document, operationOf(document, operationName), variables ?? {})
    request.body = asked.data
    // Many tools choose their parser by the type, and know only JSON's own.
    if (!request.headers.accept?.includes('application/graphql-response+json'))
      request.headers.accept = 'application/json'
    next()
  }
}

function badBody(): Refused {
  return refuse('bad_request', 'Send a JSON object with "query", and optionally "variables" and "operationName".')
}

/** Grafserv parses without a limit, so this comes first. @throws Refused */
function parsed(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: limits.tokens })
  } catch (error) {
    if (error instanceof GraphQLError) throw new Refused([shownError(error, 'syntax_error')])
    throw error
  }
}

/** @throws Refused */
function operationOf(document: DocumentNode, operationName: string | null | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName)
  if (!operation) throw refuse('bad_request', 'Name the operation to execute in "operationName".')
  if (operation.operation !== 'query') throw refuse('invalid_query', 'Only queries are supported.')
  return operation
}
