import { parseSetCookie } from 'cookie'
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { expect } from 'vitest'
import { createConsole } from '../../src/apps/console/console.ts'
import type { SignInMethod } from '../../src/apps/console/context.ts'
import { oldestSeconds } from '../../src/apps/console/method.ts'
import { createVerifier } from '../../src/auth/identity/id-token.ts'
import type { ConsoleConfig } from '../../src/config/console.ts'
import type { Person } from '../support/cast.ts'
import { testSecretKey } from '../support/server.ts'
import type { TestService } from '../support/service.ts'
import { useWorld, type World } from '../support/world.ts'

export const issuer = 'https://id.example.com'
export const audience = 'studio-inventory'
export const signInOrigin = 'https://app.example.com'

/** The name of the cookie of a session over http. */
export const sessionCookie = 'studio-inventory-session'

export const { publicKey, privateKey } = await generateKeyPair('ES256')
const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }

/** How people sign in in these tests: at an issuer whose keys are at hand. */
export const method: SignInMethod = {
  kind: 'issuer',
  verify: createVerifier({ issuer, audience, keys: createLocalJWKSet({ keys: [jwk] }), oldestSeconds }),
  signInUrl: `${signInOrigin}/sign-in`,
  origins: [signInOrigin],
}

export const seconds = () => Math.floor(Date.now() / 1000)

/** What the issuer says of somebody, and how. */
export async function idToken(email: string, claims: JWTPayload = {}, header: object = {}): Promise<string> {
  return new SignJWT({
    iss: issuer,
    aud: audience,
    sub: email,
    email,
    email_verified: true,
    iat: seconds(),
    exp: seconds() + 300,
    jti: crypto.randomUUID(),
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256', kid: 'one', ...header })
    .sign(privateKey)
}

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

export function visitorOf(service: TestService): Visitor {
  const cookies = new Map<string, string>()
  let csrfToken = ''
  async function ask(path: string, init: RequestInit): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie && { Cookie: cookie }), ...(init.headers as Record<string, string>) }
    const response = await fetch(`${service.url}${path}`, { redirect: 'manual', ...init, headers })
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

export type ConsoleWorld = World & {
  /** A browser in which nobody is signed in. */
  stranger(service?: TestService): Visitor
  /** A browser in which somebody is signed in, who has the page of tokens before them. */
  as(person: Pick<Person, 'email'>, service?: TestService): Promise<Visitor>
  /** Path of the tokens of a studio: A's when none is named. */
  tokens(studioId?: string): string
}

export const generousConsole: ConsoleConfig = {
  enabled: true,
  issuer: undefined,
  sessionMinutes: 480,
  importing: undefined,
  plansUrl: undefined,
  signInsPerMinute: 100_000,
  tokensPerMinute: 100_000,
}

/** What a service needs to have the console. */
export const consoleOf =
  (config: Partial<ConsoleConfig> = {}, by: SignInMethod = method) =>
  ({ url, ...parts }: { url: string } & Parameters<NonNullable<Parameters<typeof useWorld>[0]>['console'] & {}>[0]) =>
    createConsole({
      ...parts,
      config: { publicUrl: url, docsUrl: `${url}/docs`, console: { ...generousConsole, ...config } },
      secretKey: testSecretKey,
      method: by,
    })

/** Gives the test file a world with a console. To be called at the top of the file. */
export function useConsole(): ConsoleWorld {
  const world = useWorld({ console: consoleOf() }) as ConsoleWorld
  world.stranger = (service = world.service) => visitorOf(service)
  world.tokens = (studioId = world.cast.a.id) => `/console/studios/${studioId}/tokens`
  world.as = async (person, service = world.service) => {
    const visitor = visitorOf(service)
    const page = await visitor.post('/console/sign-in', { id_token: await idToken(person.email) })
    expect(page.status, page.text).toBe(200)
    await visitor.get(world.tokens())
    return visitor
  }
  return world
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
    /** A visitor that `beforeEach` has signed in. */
    as: (visitor: Visitor | undefined) => visitor as Visitor,
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
