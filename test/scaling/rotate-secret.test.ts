import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { roleUrl } from '../../src/database/roles.ts'
import { signAnalystToken } from '../../src/graphql/analyst-token.ts'
import { findPort } from '../../src/http/listener.ts'
import { runCli } from '../cli/run.ts'
import { startProvider } from '../console/provider.ts'
import { create, signIn, type Visitor, visitorOf } from '../console/support.ts'
import { type Cast, createCast } from '../support/cast.ts'
import { useCluster } from '../support/cluster.ts'
import { useFolder } from '../support/folder.ts'
import { type Pooler, startPooler, usersOf } from '../support/pgbouncer.ts'
import { ownerUrl, testSecretKey, withClient } from '../support/server.ts'
import type { TestService } from '../support/service.ts'
import { closeAtEnd, end, endProcesses, type Instance, startInstance } from './processes.ts'

/** Two instances of the service and of GraphQL; passwords of logins belong to the whole server. */
const own = useCluster('rotation')
const folder = useFolder()
endProcesses()
const [oldKey, newKey] = [testSecretKey, 'the new secret key of these tests, known to everybody']
const services = ['serve', 'graphql'] as const
type Service = (typeof services)[number]

let cast: Cast
let env: Record<string, string>
/** Between the database and the second instance. */
let pooler: Pooler
const provider = await startProvider()
/** What the processes that have ended had logged. */
const logged: string[] = []
const instances: Record<Service, (Instance | undefined)[]> = { serve: [], graphql: [] }

beforeAll(async () => {
  const urlFor = (role: Parameters<typeof roleUrl>[1] | 'studio_owner') =>
    role === 'studio_owner' ? ownerUrl(own.url) : roleUrl(own.url, role, oldKey)
  cast = await createCast({ name: 'rotation', adminUrl: own.url, urlFor, drop: async () => undefined })
  for (const key of cast.a.photoKeys) await folder.file(key, 'a picture')
  pooler = await startPooler(own.url)
  closeAtEnd(() => pooler.stop())
  const { clientId, clientSecret = '' } = provider.settings()
  env = {
    ...{
      DATABASE_URL: own.url,
      PHOTOS_DIR: folder.path,
      POOL_SIZE: '2',
      LOG_LEVEL: 'warn',
      STATEMENT_TIMEOUT_MS: '30000',
    },
    PUBLIC_URL: `http://127.0.0.1:${await findPort('127.0.0.1', 0)}`,
    ...{ CONSOLE_ISSUER: provider.issuer, CONSOLE_CLIENT_ID: clientId, CONSOLE_CLIENT_SECRET: clientSecret },
    RATE_LIMITS: 'studio=100000/100000,sign_ins=1000,new_tokens=100000',
  }
}, 120_000)

/** Starts an instance of the service and of GraphQL in place of earlier ones. As a balancer does, it
 * first sends nothing to one that stops. */
async function replace(index: 0 | 1, keys: Record<string, string>): Promise<void> {
  const before = services.map((service) => instances[service][index])
  for (const service of services) instances[service][index] = undefined
  await sleep(100)
  for (const instance of before) if (instance) await end(instance.child, 'SIGTERM')
  await Promise.all(
    services.map(async (service) => {
      const way = index === 1 ? { POOLER_DATABASE_URL: pooler.reach(own.url) } : {}
      const instance = await startInstance({ ...env, ...way, ...keys }, undefined, service)
      instances[service][index] = instance
      void instance.ended.then(({ stdout }) => logged.push(stdout))
    }),
  )
}

const replaceInTurn = (keys: Record<string, string>) => replace(0, keys).then(() => replace(1, keys))

/** The address of one of the instances that run, each time another one. */
function addressOf(service: Service): string {
  const running = instances[service].filter((instance) => instance !== undefined)
  return running[Math.floor(Math.random() * running.length)]?.url ?? ''
}

/** A browser behind the balancer; each request comes from a page of the public address. */
const browser = (): Visitor => {
  const balancer = Object.defineProperty({} as TestService, 'url', { get: () => addressOf('serve') })
  const visitor = visitorOf(balancer)
  const post: Visitor['post'] = (path, fields) => visitor.post(path, fields, { Origin: env.PUBLIC_URL ?? '' })
  return { ...visitor, post }
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
const ask = (address: string) => {
  const { pathname, search } = new URL(address, 'http://here')
  return fetch(`${addressOf('serve')}${pathname}${search}`, { headers: bearer(cast.a.token.token) })
}
const nextOf = ({ headers }: Response) => /<([^<>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]

async function askGraphql(token: string): Promise<number> {
  const headers = { ...bearer(token), 'Content-Type': 'application/json' }
  const body = JSON.stringify({ query: '{ account { name } }' })
  return (await fetch(`${addressOf('graphql')}/graphql`, { method: 'POST', headers, body })).status
}

async function photoUrl(): Promise<string> {
  const item = await (await ask(`/v1/items/${cast.a.items.microphone}`)).json()
  return (item as { data: { photo_urls: string[] } }).data.photo_urls[0] ?? ''
}

/** What somebody got before the rotation and uses later. */
async function gather() {
  const { id, people } = cast.a
  const owner = browser()
  expect((await signIn(owner, people.owner.email, {}, provider)).status).toBe(200)
  await owner.get(`/console/studios/${id}/report`)
  return {
    next: nextOf(await ask('/v1/items?per_page=1')) ?? '',
    photo: await photoUrl(),
    identity: await signAnalystToken(oldKey, { studioId: id, userId: people.owner.id }),
    owner,
  }
}

/** The statuses of what was got before; the form is sent from a page that was opened then. */
const useOf = async ({ next, photo, identity, owner }: Awaited<ReturnType<typeof gather>>) => ({
  cursor: (await ask(next)).status,
  photo: (await ask(photo)).status,
  identity: await askGraphql(identity),
  form: (await owner.post(`/console/studios/${cast.a.id}/report`, { format: 'csv' })).status,
})

/** Clients that work until stopped, and note what each saw. */
function startLoad(signedIn: Visitor, identity: string) {
  const pages = `/console/studios/${cast.a.id}`
  const seen: string[] = []
  let cursor: string | undefined
  const work: Record<string, () => Promise<unknown>> = {
    list: async () => {
      const page = await ask(cursor ?? '/v1/items?per_page=1')
      cursor = nextOf(page)
      return page.status
    },
    photo: async () => (await ask(await photoUrl())).status,
    page: async () => (await signedIn.get(`${pages}/items`)).status,
    // Its process logs in to the database each time.
    report: async () => (await signedIn.post(`${pages}/report`, { format: 'csv' })).status,
    token: async () => /^svc_/.test(await create(signedIn, `${pages}/tokens`, { name: 'Made meanwhile' })),
    graphql: () => askGraphql(identity),
  }
  let going = true
  const clients = Object.entries(work).map(async ([name, once]) => {
    for (; going; await sleep(400)) seen.push(`${name} ${await once().catch((error: Error) => error.message)}`)
  })
  onTestFinished(() => {
    going = false
  })
  return {
    /** Waits until each client has worked three times more. */
    async more() {
      const before = seen.length
      const since = (name: string) => seen.slice(before).filter((what) => what.startsWith(name)).length
      await vi.waitUntil(() => Object.keys(work).every((name) => since(name) > 2), { timeout: 60_000 })
    },
    async stop() {
      going = false
      await Promise.all(clients)
      return [...new Set(seen)].toSorted()
    },
  }
}

test('SECRET_KEY is rotated under load: no request fails, nobody is signed out, and then the old key opens nothing', async () => {
  await replaceInTurn({ SECRET_KEY: oldKey })
  const before = await gather()
  const load = startLoad((await gather()).owner, before.identity)
  await load.more()

  await replaceInTurn({ SECRET_KEY: oldKey, SECRET_KEY_NEXT: newKey })
  await load.more()
  const migrated = await runCli(['migrate', '--rotate-secret'], { DATABASE_URL: own.url, SECRET_KEY: newKey })
  await pooler.reload(usersOf(newKey))
  expect(migrated).toMatchObject({ status: 0, stderr: expect.stringContaining('set the passwords of login roles') })
  await load.more()
  await replaceInTurn({ SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: oldKey })
  await load.more()
  expect(await load.stop(), logged.join('')).toEqual([
    'graphql 200',
    'list 200',
    'page 200',
    'photo 200',
    'report 200',
    'token true',
  ])
  expect(await useOf(before)).toEqual({ cursor: 200, photo: 200, identity: 200, form: 200 })

  await replaceInTurn({ SECRET_KEY: newKey })
  expect(await useOf(before)).toEqual({ cursor: 400, photo: 404, identity: 401, form: 403 })
  await expect(withClient(roleUrl(own.url, 'studio_api', oldKey), async () => 'in')).rejects.toThrow('password')
  expect((await before.owner.get(`/console/studios/${cast.a.id}/items`)).status).toBe(200)
}, 400_000)
