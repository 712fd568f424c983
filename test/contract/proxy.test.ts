import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { type Services, startServices, type Trial, trialsOf } from '../openapi/exercise.ts'
import type { TestService } from '../support/service.ts'
import { useWorld } from '../support/world.ts'
import { type Prism, startPrism, verdictOf } from './prism.ts'
import { writeStrictDescription } from './strict-file.ts'

/** The running service behind Prism, which validates every answer; `validating` validates requests as well. */
const world = useWorld()
const passing = new Map<TestService, Prism>()
let validating: Prism
let services: Services
let description: Awaited<ReturnType<typeof writeStrictDescription>>

beforeAll(async () => {
  services = await startServices(world)
  description = await writeStrictDescription()
  validating = await startPrism(description.file, services.ordinary.url + prefix, 'validated')
  for (const service of Object.values(services)) {
    passing.set(service, await startPrism(description.file, service.url + prefix, 'passed'))
  }
})
afterAll(async () => {
  await Promise.all([validating, ...passing.values()].map((prism) => prism.stop()))
  await description.remove()
})

async function ask(prism: Prism | undefined, { path, token, headers }: Trial) {
  const response = await fetch(`${prism?.url}${path.slice(prefix.length)}`, {
    headers: { Authorization: `Bearer ${token}`, ...(headers as Record<string, string>) },
  })
  return { status: response.status, verdict: verdictOf(await response.text()) }
}

/** What Prism would refuse by itself: a request without token, and one that is longer than its own server takes. */
const ownOfPrism = (trial: Trial) => trial.token === null || [414, 431].includes(trial.status)
/** Requests that a description cannot tell apart as the service does: numbers beyond JSON's, empty values, no 13th month. */
const beyondDescription = ({ path, beyond }: Trial) => beyond || /9{16}|=$|2024-13/.test(path)

describe.each(operations)('$id', (operation) => {
  const trials = async () => (await trialsOf(operation, world, services)).filter((trial) => !ownOfPrism(trial))

  test('Prism passes every answer on', async () => {
    for (const trial of await trials()) {
      const { service, status, about } = trial
      expect(await ask(passing.get(service), trial), about).toEqual({ status, verdict: null })
    }
  })

  test('Prism takes the requests that the service takes, and refuses the parameters that it refuses', async () => {
    for (const trial of (await trials()).filter((one) => !beyondDescription(one))) {
      if (trial.status !== 200 && trial.status !== 400) continue
      const { verdict } = await ask(validating, trial)
      if (trial.status === 200) expect(verdict, trial.about).toBeNull()
      else expect(verdict, trial.about).toMatch(/^Invalid request: query/)
    }
  })
})

test('Prism objects to an answer with a field that is not described, and to one without a field that is', async () => {
  const own = await world.service.get<{ data: object }>(`${prefix}/account`, { token: world.cast.a.token.token })
  const headers = Object.fromEntries(Object.entries(own.headers).filter(([name]) => name !== 'content-length'))
  let body: object = own.json
  const server = createServer((_, response) => response.writeHead(200, headers as never).end(JSON.stringify(body)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const prism = await startPrism(
    description.file,
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    'validated',
  )
  onTestFinished(async () => {
    await prism.stop()
    server.close()
  })
  const trial = { path: `${prefix}/account`, token: 'any', status: 200, about: '', service: world.service }
  expect((await ask(prism, trial)).verdict).toBeNull()
  body = { ...own.json, data: { ...own.json.data, studio_id: 'x' } }
  expect((await ask(prism, trial)).verdict).toMatch(/additional properties/)
  body = { ...own.json, data: { ...own.json.data, name: undefined } }
  expect((await ask(prism, trial)).verdict).toMatch(/required property 'name'/)
})
