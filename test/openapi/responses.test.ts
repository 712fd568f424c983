import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import type { OpenApiDocument } from '../../src/docs/openapi/document.ts'
import { useWorld } from '../support/world.ts'
import { describedOperation, describedResponse, strictly } from './described.ts'
import { type Services, startServices, trialsOf } from './exercise.ts'
import { createValidator, type Response, type Validator } from './validator.ts'

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

/** Sends a request that names its host twice, which no HTTP client would, and reads the answer. */
async function askWithTwoHosts(port: number, path: string): Promise<Response> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: one.example\r\nHost: two.example\r\n\r\n`)
  const answer = Buffer.concat(await socket.toArray()).toString()
  const [head = '', text = ''] = answer.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => {
    const [name = '', ...value] = line.split(': ')
    return [name.toLowerCase(), value.join(': ')]
  })
  return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers), json: JSON.parse(text) }
}

test.each(operations)('$id gives every answer that is described, each as it is described', async (operation) => {
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
  const { default: _, ...described } = describedOperation(document, operation.path).responses
  expect([...seen].map(String)).toEqual(expect.arrayContaining(Object.keys(described)))
})
