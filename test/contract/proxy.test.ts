import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { describedApi, strictly } from '../openapi/described.ts'
import { type Services, startServices, type Trial, trialsOf } from '../openapi/exercise.ts'
import { useFolder } from '../support/folder.ts'
import { useWorld } from '../support/world.ts'
import { type Prism, startPrism, verdictOf } from './prism.ts'

/** The service behind Prism, which judges each request and each answer by the description. */
const world = useWorld()
let services: Services
let proxy: Prism
const { at, file } = useFolder()

beforeAll(async () => {
  services = await startServices(world)
  const description = await file('openapi.json', JSON.stringify(strictly(describedApi())))
  proxy = await startPrism(description, world.service.url + prefix)
})
afterAll(() => proxy?.stop())

type Asked = Pick<Trial, 'path' | 'token' | 'headers'>

async function ask({ url }: Prism, { path, token, headers }: Asked) {
  const response = await fetch(`${url}${path.slice(prefix.length)}`, {
    headers: { Authorization: `Bearer ${token}`, ...(headers as Record<string, string>) },
  })
  return { status: response.status, verdict: verdictOf(await response.text()) }
}

/** What Prism refuses by itself, where the service says 401, 404, 414 or 431. */
const ownOfPrism = ({ token, status, path }: Trial) =>
  token === null || [414, 431].includes(status) || /malformed|%ZZ/.test(path)
/** Requests that a description cannot distinguish: huge numbers, empty values, a 13th month. */
const beyondDescription = ({ path, beyond }: Trial) => beyond || /9{16}|=$|2024-13/.test(path)

test.each(operations)('$id: Prism passes on what the service takes, and refuses what it refuses', async (operation) => {
  // What only another service answers is validated in test/openapi.
  const trials = (await trialsOf(operation, world, services)).filter(({ service }) => service === world.service)
  for (const trial of trials.filter((one) => !ownOfPrism(one) && !beyondDescription(one))) {
    const { status, verdict } = await ask(proxy, trial)
    if (trial.status === 400) expect(verdict, trial.about).toMatch(/^Invalid request: query/)
    else expect({ status, verdict }, trial.about).toEqual({ status: trial.status, verdict: null })
  }
})

test('Prism objects to an answer with a field that is not described, and to one without a field that is', async () => {
  const own = await world.service.get<{ data: object }>(`${prefix}/account`, { token: world.cast.a.token.token })
  const headers = Object.fromEntries(Object.entries(own.headers).filter(([name]) => name !== 'content-length'))
  let body: object = own.json
  const server = createServer((_, response) => response.writeHead(200, headers as never).end(JSON.stringify(body)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const prism = await startPrism(at('openapi.json'), `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(async () => {
    await prism.stop()
    server.close()
  })
  const verdict = async () => (await ask(prism, { path: `${prefix}/account`, token: 'any' })).verdict
  expect(await verdict()).toBeNull()
  body = { ...own.json, data: { ...own.json.data, studio_id: 'x' } }
  expect(await verdict()).toMatch(/additional properties/)
  body = { ...own.json, data: { ...own.json.data, name: undefined } }
  expect(await verdict()).toMatch(/required property 'name'/)
})
