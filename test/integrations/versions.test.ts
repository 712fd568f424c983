import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { generous } from '../support/service.ts'
import { useTool } from './demo.ts'
import { project, requireTool } from './tools.ts'

/** The description in OpenAPI 3.0, and Power Automate's connector in 2.0. */
const read = async (file: string) => JSON.parse(await readFile(join(project, file), 'utf8'))
const validator: { validate(document: object): Promise<{ valid: boolean; errors?: unknown }> } =
  requireTool('@readme/openapi-parser')

describe.each([
  ['docs/openapi-3.0.json', { openapi: '3.0.3' }],
  ['integrations/power-automate/apiDefinition.swagger.json', { swagger: '2.0' }],
])('%s', (file, version) => {
  test('is valid', async () => {
    const document = await read(file)
    expect(document).toMatchObject(version)
    const { valid, errors } = await validator.validate(document)
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
  })

  test('has every operation, and no word of 3.1', async () => {
    const document = await read(file)
    for (const { path, id } of operations) expect(document.paths[path].get.operationId).toBe(id)
    expect(JSON.stringify(document)).not.toMatch(/"type":\[|"type":"null"|"identifier"/)
  })
})

describe('the polling trigger of Power Automate', () => {
  const demo = useTool({ limits: generous })

  type Page = { data: { id: string; updated_at: string }[] }
  const poll = async (query: string) =>
    (await demo.service.get<Page>(`/v1/items?per_page=100${query}`, { token: demo.token })).json.data

  test('returns an item once, and again when it has changed', async () => {
    const { properties } = await read('integrations/power-automate/apiProperties.json')
    const { parameters } = properties.policyTemplateInstances.at(-1)
    const since = parameters['x-ms-apimTemplateParameter.triggerConfig'].updated_since
    expect(since).toBe("@{replace(triggerBody().data[0].updated_at, 'Z', '001Z')}")
    const [newest, second] = await poll('')
    const after = (updatedAt = '') => `&updated_since=${updatedAt.replace('Z', '001Z')}`
    expect(await poll(after(newest?.updated_at))).toEqual([])
    expect(await poll(after(second?.updated_at))).toEqual([newest])
  })
})
