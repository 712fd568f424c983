import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { operations } from '../../src/api/operations.ts'
import { yamlOf } from '../../src/apps/docs/routes.ts'
import { rewritten } from '../support/gate-message.ts'
import {
  type Described,
  describedApi,
  describedOperation,
  describedResponse,
  fromAnswers,
  resolve,
} from './described.ts'

const document = describedApi()
type Fields = { properties: Record<string, unknown>; required: string[] }

test('docs/openapi.yaml is the description that the service serves, but for its addresses', async () => {
  const wrong = rewritten('docs/openapi.yaml', 'the code describes', 'npx vitest run test/openapi')
  await expect(yamlOf(document), wrong).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/openapi.yaml'))
})

test('the YAML says what the JSON says, also to a reader of YAML 1.1', () => {
  const text = yamlOf(document)
  expect(parse(text)).toEqual(JSON.parse(JSON.stringify(document)))
  expect(parse(text, { version: '1.1' })).toEqual(JSON.parse(JSON.stringify(document)))
})

test('every reference leads somewhere, and every component is used', () => {
  const text = JSON.stringify(document)
  const references = new Set([...text.matchAll(/"\$ref":"(#[^"]*)"/g)].map(([, reference = '']) => reference))
  expect(references.size).toBeGreaterThan(50)
  for (const $ref of references) expect(resolve(document, { $ref }), $ref).toBeDefined()
  for (const [kind, components] of Object.entries(document.components)) {
    if (kind === 'securitySchemes') continue
    for (const name of Object.keys(components)) expect(references).toContain(`#/components/${kind}/${name}`)
  }
})

describe.each(operations)('$id', (defined) => {
  const { id, path, envelope } = defined
  const parameters = Object.keys(defined.parameters)
  const operation = describedOperation(document, path)
  const conditional = id !== 'get_item'

  test('is named, explained and grouped', () => {
    expect(operation.operationId).toBe(id)
    expect(operation.summary).toMatch(/^[A-Z].+\.$/)
    expect(operation.description.length).toBeGreaterThan(20)
    expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0])
  })

  test('has its parameters, each with a schema and examples, and the id of its path', () => {
    const described = operation.parameters.map((parameter) => resolve(document, parameter))
    const own = path.includes('{id}') ? ['id'] : parameters
    const expected = conditional ? [...own, 'If-None-Match'] : own
    expect(described.map(({ name }) => name)).toEqual(expected)
    for (const { name, schema, examples, example } of described) {
      expect(schema).toBeDefined()
      if (fromAnswers.includes(name)) expect(examples ?? example).toBeUndefined()
      else expect(example ?? Object.keys(examples ?? {})[0]).toBeDefined()
    }
  })

  test('has every answer that it can give, each with its headers and examples', () => {
    const statuses = ['200', '304', '400', '401', '403', '404', '410', '429', '500', '503', 'default']
    const can: Record<string, boolean> = {
      '304': conditional,
      '404': path.includes('{id}'),
      '410': id === 'list_removals',
    }
    const own = statuses.filter((status) => can[status] ?? true)
    expect(Object.keys(operation.responses)).toEqual(own)
    const codes = (status: string) => Object.keys(problemOf(describedResponse(document, path, status)).examples)
    expect(codes('400')).toEqual(parameters.length > 0 ? ['invalid_parameter', 'bad_request'] : ['bad_request'])
    const errors = own.filter((status) => !['200', '304', '400'].includes(status))
    expect(errors.flatMap(codes)).toEqual([
      'unauthenticated',
      'plan_required',
      ...(path.includes('{id}') ? ['not_found'] : []),
      ...(id === 'list_removals' ? ['removals_expired'] : []),
      'rate_limited',
      'internal_error',
      'unavailable',
      'request_timeout',
      'uri_too_long',
      'header_fields_too_large',
    ])
    const limits = [...['RateLimit-Policy', 'RateLimit', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']]
    const walk = envelope === 'list' ? ['Link', 'Next-Updated-Since'] : []
    const more: Record<string, string[]> = {
      '200': [...limits, ...(conditional ? ['ETag'] : []), ...walk],
      '304': [...limits, 'ETag', ...walk.slice(1)],
      '400': parameters.length > 0 ? limits : [],
      '401': ['WWW-Authenticate'],
      '429': [...limits, 'Retry-After'],
      '503': [...limits, 'Retry-After'],
      default: [],
    }
    for (const status of own) {
      const names = Object.keys(describedResponse(document, path, status).headers)
      expect(names, status).toEqual(['X-Request-Id', 'Cache-Control', ...(more[status] ?? limits)])
    }
  })

  test('answers in its envelope, whose keys are those of the specification', () => {
    const { schema, examples } = describedResponse(document, path, 200).content?.['application/json'] ?? {}
    const body = resolve<Fields>(document, schema ?? { $ref: '#/nothing' })
    expect(Object.keys(body.properties)).toEqual(envelope === 'list' ? ['data', 'meta', '_meta'] : ['data', '_meta'])
    expect(body.required).toEqual(Object.keys(body.properties))
    expect(Object.keys(examples ?? {}).length).toBeGreaterThan(0)
  })
})

test('an answer that the client has has no body', () => {
  for (const { path, envelope, photos } of operations) {
    if (photos) continue
    const { content, description } = describedResponse(document, path, 304)
    expect([path, content]).toEqual([path, undefined])
    expect(description).toContain(envelope === 'list' ? 'The page' : 'The answer')
  }
})

test('the token is a bearer token of the format svc_<tier>_<secret>, and every operation needs one', () => {
  expect(document.components.securitySchemes.personal_access_token).toMatchObject({
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_<tier>_<secret>',
  })
  expect(document.security).toEqual([{ personal_access_token: [] }])
  for (const { path } of operations) expect(describedOperation(document, path)).not.toHaveProperty('security')
})

test('the disclaimers, the way to poll and the limits come first', () => {
  const { description, contact, license } = document.info
  expect(description).toContain('## Adequacy disclaimer')
  expect(description).toContain('coverage_state and gap_amount reflect valuation status and not insurance adequacy.')
  expect(description).toContain('no guarantee of resale value')
  expect(description).toContain('updated_since=<timestamp>&per_page=50')
  expect(description).toContain('20 requests in a second and 300 in a minute')
  expect(contact.url).toMatch(/^https:/)
  expect(license.identifier).toBe('MIT')
})

function problemOf({ content = {} }: Described) {
  const problem = content['application/problem+json']
  if (problem === undefined || Object.keys(content).length !== 1) throw new Error('the answer is no problem')
  return problem
}
