import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { exampleAddresses } from '../../src/apps/docs/openapi/addresses.ts'
import { describeApi } from '../../src/apps/docs/openapi/document.ts'
import { exampleFile } from '../../src/apps/docs/openapi/responses.ts'
import { readConfig } from '../../src/config/config.ts'
import { example } from '../reference/document.ts'
import { pageOf } from '../reference/support.ts'
import { rewritten } from '../support/gate-message.ts'
import { type Demo, startDemo } from './demo.ts'
import { describedApi, describedOperation, describedResponse, fromAnswers, resolve } from './described.ts'
import { createValidator } from './validator.ts'

/** What the reference shows answers with, in lines. */
const { inLines } = await import(String(new URL('../../src/apps/docs/reference/browser/json.js', import.meta.url)))

/** The examples are what the demo answers, to the last field. */
let demo: Demo
beforeAll(async () => {
  demo = await startDemo()
})
afterAll(() => demo?.close())

describe.each(operations)('the examples of $id', (operation) => {
  test('are the answers of the demo studio', async () => {
    const page = pageOf(exampleAddresses)
    const answers: Record<string, unknown> = {}
    for (const [name, { request }] of Object.entries(operation.examples)) {
      const reply = await demo.service.get(prefix + request, { token: demo.token })
      expect(reply.status, request + demo.service.why(reply)).toBe(200)
      answers[name] = reply.json
      // To the digit: the page shows amounts of money as they come.
      expect(example(page, `${operation.id} ${name}`)).toBe(inLines(reply.text))
    }
    const file = `src/api/examples/${operation.id}.json`
    const wrong = rewritten(file, 'the demo answers', 'npx vitest run test/openapi')
    await expect(`${JSON.stringify(answers, null, 2)}\n`, wrong).toMatchFileSnapshot(exampleFile(operation))
  })
})

describe('every example in the description is a valid one', () => {
  const document = describedApi()
  const { faultsBySchema } = createValidator(document)
  const statuses = ['200', '400', '401', '403', '429', '500', '503', 'default']
  const ownOf: Record<string, string[]> = { '/removals': ['410'] }

  test.each(operations)('of the answers of $id', ({ path }) => {
    for (const status of [...statuses, ...(path.includes('{id}') ? ['404'] : (ownOf[path] ?? []))]) {
      const { content = {} } = describedResponse(document, path, status)
      for (const { schema, examples } of Object.values(content)) {
        for (const [name, { value }] of Object.entries(examples)) {
          expect(value, name).toBeTypeOf('object')
          expect(faultsBySchema(schema, value), name).toEqual([])
        }
      }
    }
  })

  test.each(operations)('of the parameters of $id', ({ path }) => {
    for (const parameter of describedOperation(document, path).parameters) {
      const { name, schema, example, examples = { one: { value: example } } } = resolve(document, parameter)
      if (fromAnswers.includes(name)) continue
      for (const { value } of Object.values(examples)) expect(faultsBySchema(schema, value)).toEqual([])
    }
  })

  test('of the headers', () => {
    for (const { schema, example } of Object.values(document.components.headers)) {
      expect(faultsBySchema(schema, example)).toEqual([])
    }
  })
})

test('another service shows its own addresses in the examples', () => {
  const options = { publicUrl: 'https://inventory.example:8443', docsUrl: 'https://learn.example/api' }
  const text = JSON.stringify(describeApi({ ...options, rateLimits: readConfig({}).rateLimits }))
  expect(text).toContain('"https://inventory.example:8443/photos/ey')
  expect(text).toContain('"documentation_url":"https://learn.example/api#adequacy-disclaimer"')
  expect(text).not.toContain('studio-inventory.example')
})
