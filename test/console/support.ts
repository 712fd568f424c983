import { parseSetCookie } from 'cookie'
import { beforeAll, expect } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import type { ConsoleConfig, SignInIssuer } from '../../src/config/console.ts'
import type { Analysts } from '../../src/console/analysts.ts'
import { createConsole } from '../../src/console/console.ts'
import type { SignIns } from '../../src/console/context.ts'
import { createProvider, type SignInMethod } from '../../src/console/identity/provider.ts'
import type { Imports } from '../../src/console/import/imports.ts'
import { makeLogger } from '../../src/log.ts'
import type { Cast, Person } from '../support/cast.ts'
import { testSecretKey } from '../support/server.ts'
import type { ConsoleParts, TestService } from '../support/service.ts'
import { useWorld, type World } from '../support/world.ts'
import { type SignInResponse, startProvider } from './provider.ts'

/** The name of the cookie of a session over http. */
export const sessionCookie = 'studio-inventory-session'

/** The provider at which people sign in in these tests. */
export const provider = await startProvider()

/** Where these tests write what the service logs before it has a log of its own. */
const quiet = makeLogger({ level: 'silent' })

/** How people sign in: at that provider, or at those given. */
export const methodOf = (...issuers: SignInIssuer[]): SignInMethod => ({
  kind: 'providers',
  providers: issuers.map((issuer) => createProvider(issuer, quiet)),
})

export const method = methodOf(provider.settings())

export type Page = { status: number; headers: Headers; text: string; location: string | null }

/** Somebody's browser: keeps cookies and sends forms with the Origin of their page. */
export type Visitor = {
  cookies: Map<string, string>
  get(path: string, headers?: Record<string, string>): Promise<Page>
  /** Sends a form; with the hidden field of the page seen last, unless another is given. */
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Page>
  /** The same with a file, as multipart/form-data. */
  upload(
    path: string,
    fields: Record<string, string>,
    upload?: { name: string; file: Blob },
    headers?: Record<string, string>,
  ): Promise<Page>
}

/** @param reach how a path gets to the service; by default as it is */
export function visitorOf(service: TestService, reach = (path: string) => path): Visitor {
  const cookies = new Map<string, string>()
  let csrfToken = ''
  async function ask(path: string, init: RequestInit): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie && { Cookie: cookie }), ...(init.headers as Record<string, string>) }
    const response = await fetch(`${service.url}${reach(path)}`, { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const { name, value = '', maxAge } = parseSetCookie(line)
      if (maxAge === 0) cookies.delete(name)
      else cookies.set(name, value)
    }
    const text = await response.text()
    csrfToken = /name="csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? csrfToken
    return { status: response.status, headers: response.headers, text, location: response.headers.get('location') }
  }
  return {
    cookies,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, fields = {}, headers = {}) =>
      ask(path, {
        method: 'POST',
        headers: { Origin: service.url, ...headers },
        body: new URLSearchParams({ csrf_token: csrfToken, ...fields }),
      }),
    upload(path, fields, upload, headers = {}) {
      const body = new FormData()
      for (const [name, value] of Object.entries({ csrf_token: csrfToken, ...fields })) body.append(name, value)
      if (upload) body.append('file', upload.file, upload.name)
      return ask(path, { method: 'POST', headers: { Origin: service.url, ...headers }, body })
    },
  }
}

/** Somebody signs in at the provider, and comes back. */
export async function signIn(visitor: Visitor, email: string, answer?: SignInResponse, at = provider): Promise<Page> {
  const begun = await visitor.get('/console/sign-in/start')
  const { pathname, search } = at.signIn(begun.location, email, answer)
  return visitor.get(`${pathname}${search}`)
}

export type ConsoleWorld = World & {
  /** A browser in which nobody is signed in. */
  stranger(service?: TestService): Visitor
  /** A browser in which somebody is signed in, who has the page of tokens before them. */
  as(person: Pick<Person, 'email'>, service?: TestService): Promise<Visitor>
  /** Path of the tokens of a studio: A's when none is named. */
  tokens(studioId?: string): string
  /** Path of another page of a studio. */
  page(name: string, studioId?: string): string
}

export const generousConsole: ConsoleConfig = {
  enabled: true,
  issuers: [],
  sessionMinutes: 480,
  importing: undefined,
  plansUrl: undefined,
  signInsPerMinute: 100_000,
  tokensPerMinute: 100_000,
}

/** The quotas of a service that sets none. */
export const { rateLimits } = readConfig({})

/** What a service needs to have the console. */
export const consoleOf =
  (config: Partial<ConsoleConfig> = {}, by: SignInMethod = method, analysts?: Analysts) =>
  ({ url, ...parts }: ConsoleParts & { signIns?: SignIns; imports?: Imports }) =>
    createConsole({
      ...parts,
      analysts,
      config: { publicUrl: url, docsUrl: `${url}/docs`, rateLimits, console: { ...generousConsole, ...config } },
      secretKeys: testSecretKey,
      method: by,
    })

/** Gives the test file a world with a console. To be called at the top of the file. */
export function useConsole(console = consoleOf()): ConsoleWorld {
  const world = useWorld({ console }) as ConsoleWorld
  world.stranger = (service = world.service) => visitorOf(service)
  world.tokens = (studioId = world.cast.a.id) => `/console/studios/${studioId}/tokens`
  world.page = (name, studioId = world.cast.a.id) => `/console/studios/${studioId}/${name}`
  world.as = async (person, service = world.service) => {
    const visitor = visitorOf(service)
    const page = await signIn(visitor, person.email)
    expect(page.status, page.text).toBe(200)
    await visitor.get(world.tokens())
    return visitor
  }
  return world
}

/** People of studio A, each signed in once for the file, or before each test.
 * @param hook when: beforeAll or beforeEach */
export function signedIn<Role extends keyof Cast['a']['people']>(
  world: ConsoleWorld,
  roles: readonly Role[],
  hook = beforeAll,
) {
  const visitors = {} as Record<Role, Visitor>
  hook(async () => {
    const signing = roles.map(async (role) => [role, await world.as(world.cast.a.people[role])])
    Object.assign(visitors, Object.fromEntries(await Promise.all(signing)))
  })
  return visitors
}

/** Creates a token by the form and reads it on the page that shows it. */
export async function create(visitor: Visitor, path: string, fields: Record<string, string>): Promise<string> {
  const made = await visitor.post(path, fields)
  expect(made.location, made.text).toMatch(/\/tokens\/[0-9a-f-]{36}\/created$/)
  const shown = await visitor.get(made.location ?? '')
  return /id="token"[^>]*>(svc_\w+)</.exec(shown.text)?.[1] ?? ''
}

/** What the tests of tokens ask of a world beside its pages. */
export function tokensOf(world: ReturnType<typeof useConsole>) {
  return {
    statusOf: async (token: string) => (await world.get('/v1/account', { token })).status,
    countTokens: async () => Number((await world.owner<{ n: string }>('select count(*) n from access.tokens'))[0]?.n),
    idOf: async (name: string) =>
      (await world.owner<{ id: string }>('select id from access.tokens where name = $1', [name]))[0]?.id ?? '',
    logOf: (name: string) =>
      world.owner<{ event: string; email: string }>(
        `select l.event, u.email from access.audit_log l join access.users u on u.id = l.actor_user_id
         where l.token_name = $1 order by l.id`,
        [name],
      ),
    /** Calls a management function on studio A. */
    manage: (call: string, ...values: unknown[]) => world.owner(`select access.${call}`, [world.cast.a.id, ...values]),
  }
}
