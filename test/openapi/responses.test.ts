import { beforeAll, describe, expect, test } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import type { OpenApiDocument } from '../../src/docs/openapi/document.ts'
import { useWorld } from '../support/world.ts'
import { describedOperation, describedResponse } from './described.ts'
import { type Services, startServices, trialsOf } from './exercise.ts'
import { askWithTwoHosts } from './raw.ts'
import { strictly } from './strict.ts'
import { createValidator, type Validator } from './validator.ts'

/** The responses of the service, against the description that the same service serves. */
const world = useWorld()
let services: Services
let document: OpenApiDocument
let validator: Validator

beforeAll(async () => {
  services = await startServices(world)
  document = (await world.service.get<OpenApiDocument>('/openapi.json')).json
  validator = createValidator(strictly(document))
})

describe.each(operations)('$id', (operation) => {
  test('gives every answer that is described, each as it is described', async () => {
    const seen = new Set<number>()
    const sent = new Set<string>()
    for (const { status, about, path, service, ...ask } of await trialsOf(operation, world, services)) {
      const reply = await service.get(path, ask)
      expect(reply.status, `${about}: ${reply.text}${status === 500 ? '' : service.why(reply)}`).toBe(status)
      expect(validator.faultsOf(operation.path, reply), `${status} ${about}: ${reply.text}`).toEqual([])
      seen.add(status)
      for (const name of Object.keys(reply.headers)) sent.add(`${status} ${name}`)
    }
    for (const status of seen) {
      const { headers } = describedResponse(document, operation.path, status)
      for (const name of Object.keys(headers)) {
        if (status < 400) expect([...sent]).toContain(`${status} ${name.toLowerCase()}`)
      }
    }
    const malformed = await askWithTwoHosts(world.service.port, prefix + operation.path.replace('{id}', 'x'))
    expect(malformed).toMatchObject({ status: 400, json: { code: 'bad_request' } })
    expect(validator.faultsOf(operation.path, malformed)).toEqual([])
    seen.add(malformed.status)
    const described = Object.keys(describedOperation(document, operation.path).responses).filter(
      (key) => key !== 'default',
    )
    expect([...seen].map(String)).toEqual(expect.arrayContaining(described))
  })
})
