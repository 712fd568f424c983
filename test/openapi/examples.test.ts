import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { readConfig } from '../../src/config/config.ts'
import { describeApi } from '../../src/docs/openapi/document.ts'
import { exampleFile } from '../../src/docs/openapi/responses.ts'
import { rewritten } from '../support/gate-message.ts'
import { type Demo, startDemo } from './demo.ts'

/** The examples are what the demo answers, to the last field. */
let demo: Demo
beforeAll(async () => {
  demo = await startDemo()
})
afterAll(() => demo?.close())

describe.each(operations)('the examples of $id', (operation) => {
  test('are the answers of the demo studio', async () => {
    const answers: Record<string, unknown> = {}
    for (const [name, { request }] of Object.entries(operation.examples)) {
      const reply = await demo.service.get(prefix + request, { token: demo.token })
      expect(reply.status, request + demo.service.why(reply)).toBe(200)
      answers[name] = reply.json
    }
    const file = `src/api/examples/${operation.id}.json`
    const wrong = rewritten(file, 'the demo answers')
    await expect(`${JSON.stringify(answers, null, 2)}\n`, wrong).toMatchFileSnapshot(exampleFile(operation))
  })
})

test('another service shows its own addresses in the examples', () => {
  const options = { publicUrl: 'https://inventory.example:8443', docsUrl: 'https://learn.example/api' }
  const text = JSON.stringify(describeApi({ ...options, rateLimits: readConfig({}).rateLimits }))
  expect(text).toContain('"https://inventory.example:8443/photos/ey')
  expect(text).toContain('"documentation_url":"https://learn.example/api#adequacy-disclaimer"')
  expect(text).not.toContain('studio-inventory.example')
})
