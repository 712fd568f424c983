import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { schemaOf } from '../../src/docs/openapi/schemas.ts'
import { yamlOf } from '../../src/docs/routes.ts'
import { rewritten } from '../support/gate-message.ts'
import { describedApi, resolve } from './described.ts'

const document = describedApi()

test('docs/openapi.yaml is the description that the service serves, but for its addresses', async () => {
  const wrong = rewritten('docs/openapi.yaml', 'the code describes')
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

test('an enumeration without a name that may be null has null among its values', () => {
  expect(schemaOf(z.enum(['yes', 'no']).nullable())).toEqual({ type: ['string', 'null'], enum: ['yes', 'no', null] })
})
