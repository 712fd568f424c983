import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll } from 'vitest'
import { signInMethod } from '../../src/apps/console/method.ts'
import { consoleOf, visitorOf } from '../console/support.ts'
import { startGraphql } from '../graphql/support.ts'
import { useWorld, type World } from '../support/world.ts'

export const issuer = 'https://id.example.com'
export const audience = 'inventory'

/** A key of each type that is named in a signature's `alg`. */
export const makeKeys = () => ({
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  p384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  p521: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  ed25519: generateKeyPairSync('ed25519'),
})
export type KeyName = keyof ReturnType<typeof makeKeys>

/** The keys of the issuer; its key set names no algorithm, so that only the verifier chooses. */
export const keys = makeKeys()

export const seconds = () => Math.floor(Date.now() / 1000)

export type Header = Record<string, unknown>

/** Signs claims; those that are undefined are left out. */
export function sign(claims: JWTPayload, header: Header, key: KeyObject | Uint8Array): Promise<string> {
  const given = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
  return new SignJWT(given).setProtectedHeader({ alg: 'RS256', ...header }).sign(key)
}

/** What each of the two says of a token: the console of a sign-in with it, GraphQL of a query. */
export type Verdicts = { console: number; graphql: number }

export type IssuerWorld = World & {
  /** What the issuer says of the owner of studio A. */
  claims(): JWTPayload
  /** An ID token for the owner of studio A, signed with a key of the issuer. */
  token(claims?: JWTPayload, header?: Header, key?: KeyName): Promise<string>
  /** Shows a token to both. */
  verdicts(token: string): Promise<Verdicts>
  /** Whether the key set of the issuer can be fetched by those who have not done so yet. */
  keySet: { away: boolean }
  /** Both again, with nothing fetched yet. */
  open(): Promise<(token: string) => Promise<Verdicts>>
}

/** Gives the test file the console and GraphQL, both trusting one issuer. To be called at the top of the file. */
export function useIssuer(): IssuerWorld {
  const world = useWorld() as IssuerWorld
  const stops: (() => unknown)[] = []
  world.keySet = { away: false }
  world.claims = () => ({
    iss: issuer,
    aud: audience,
    sub: 'somebody',
    email: world.cast.a.people.owner.email,
    email_verified: true,
    studio_id: world.cast.a.id,
    iat: seconds(),
    exp: seconds() + 300,
    jti: crypto.randomUUID(),
  })
  world.token = (claims = {}, header = {}, key = 'rsa') =>
    sign({ ...world.claims(), ...claims }, { kid: key, ...header }, keys[key].privateKey)

  beforeAll(async () => {
    const jwks = await Promise.all(
      Object.entries(keys).map(async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid, use: 'sig' })),
    )
    const server = createServer((_request, response) => {
      const status = world.keySet.away ? 503 : 200
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ keys: jwks }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    stops.push(() => server.close())
    const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`
    const trusted = { issuer, audience, jwksUrl }

    world.open = async () => {
      const method = await signInMethod({ ...trusted, signInUrl: `${issuer}/sign-in` }, async () => [])
      const service = await world.start({ console: consoleOf({}, method) })
      const graphql = await startGraphql(world.database, { trusted })
      stops.push(() => graphql.stop())
      return async (token) => {
        const [page, reply] = await Promise.all([
          visitorOf(service).post('/console/sign-in', { id_token: token }),
          graphql.ask('{ account { name } }', { token }),
        ])
        return { console: page.status, graphql: reply.status }
      }
    }
    world.verdicts = await world.open()
  })
  afterAll(async () => {
    for (const stop of stops) await stop()
  })
  return world
}
