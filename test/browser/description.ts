import { z } from 'zod'
import { operations, prefix } from '../../src/api/operations.ts'
import { problem } from '../../src/api/problem.ts'
import { itemId } from '../http/support.ts'

/** A description of the API that is good enough to render: stands in for the one that the service makes. */
export function describeForTests(publicUrl: string): object {
  const paths = operations.map(({ id, path, summary, parameters, schema }) => [
    path,
    {
      get: {
        operationId: id,
        summary,
        tags: [path.split('/')[1]],
        parameters: [
          ...(path.includes('{id}')
            ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' }, example: itemId }]
            : []),
          ...parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
        ],
        responses: {
          200: {
            description: 'What was asked for.',
            headers: { 'X-Request-Id': { description: 'Names the request.', schema: { type: 'string' } } },
            content: {
              'application/json': { schema: z.toJSONSchema(schema), examples: { one: twoExamples, two: twoExamples } },
            },
          },
          401: { $ref: '#/components/responses/Problem' },
          default: { $ref: '#/components/responses/Problem' },
        },
      },
    },
  ])
  return {
    openapi: '3.1.0',
    info: { title: 'Studio Inventory API', version: '1.0.0' },
    servers: [{ url: `${publicUrl}${prefix}` }],
    security: [{ token: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      parameters: Object.fromEntries(parameters.map((parameter) => [parameter.name, { ...parameter, in: 'query' }])),
      responses: {
        Problem: {
          description: 'An error.',
          content: { 'application/problem+json': { schema: z.toJSONSchema(problem) } },
        },
      },
    },
  }
}

const twoExamples = { summary: 'An example', value: { data: [] } }

const parameters = [
  {
    name: 'page',
    description: 'Page.',
    schema: { type: 'integer', minimum: 1, default: 1 },
    examples: { 2: { value: 2 } },
  },
  { name: 'per_page', schema: { type: 'integer', default: 50 } },
  { name: 'category', schema: { type: 'string' }, examples: { m: { value: 'Microphones' }, o: { value: 'Other' } } },
  { name: 'coverage_state', schema: { type: 'string', enum: ['uninsured', 'value_unknown'] }, example: 'uninsured' },
  { name: 'updated_since', schema: { type: 'string' }, example: '2026-03-01T12:30:00Z' },
  { name: 'item_id', schema: { type: 'string', format: 'uuid' }, example: itemId },
  { name: 'status', schema: { type: 'string', enum: ['scheduled', 'completed'] } },
]
