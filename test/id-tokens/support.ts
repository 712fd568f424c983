import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { exportJWK, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll } from 'vitest'
import { type MakeIdToken, startProvider } from '../console/provider.ts'
import { consoleOf, methodOf, signIn, visitorOf } from '../console/support.ts'
import { startGraphql } from '../graphql/support.ts'
import { useWorld, type World } from '../support/world.ts'

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
  issuer: string
  /** What the issuer says of the owner of studio A. */
  claims(): JWTPayload
  /** What makes an ID token for the owner of studio A, signed with a key of the issuer. */
  token(claims?: JWTPayload, header?: Header, key?: KeyName): MakeIdToken
  /** The result of a token in both: in the console as a sign-in with its nonce, in GraphQL with
   * a query. */
  verdicts(idToken: MakeIdToken): Promise<Verdicts>
  /** Whether the key set of the issuer can be fetched by those who have not done so yet. */
  keySet: { away: boolean }
  /** Both again, with nothing fetched yet. */
  open(): Promise<(idToken: MakeIdToken) => Promise<Verdicts>>
}

/** Gives the test file the console and GraphQL, both trusting one issuer. */
export function useIssuer(): IssuerWorld {
  const world = useWorld() as IssuerWorld
  const stops: (() => unknown)[] = []
  world.claims = () => ({
    iss: world.issuer,
    aud: 'studio-inventory',
    sub: 'somebody',
    email: world.cast.a.people.owner.email,
    email_verified: true,
    studio_id: world.cast.a.id,
    iat: seconds(),
    exp: seconds() + 300,
    jti: crypto.randomUUID(),
  })
  world.token =
    (claims = {}, header = {}, key = 'rsa') =>
    (more) =>
      sign({ ...world.claims(), ...more, ...claims }, { kid: key, ...header }, keys[key].privateKey)

  beforeAll(async () => {
    const jwks = await Promise.all(
      Object.entries(keys).map(async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid, use: 'sig' })),
    )
    const provider = await startProvider(jwks)
    const { issuer, clientId: audience, away } = provider
    world.issuer = issuer
    world.keySet = {
      get away() {
        return away.keys
      },
      set away(value) {
        away.keys = value
      },
    }

    world.open = async () => {
      const service = await world.start({ console: consoleOf({}, methodOf(provider.settings())) })
      const trusted = { issuer, audience, jwksUrl: `${issuer}/keys` }
      const graphql = await startGraphql(world.database, { trusted })
      stops.push(() => graphql.stop())
      return async (idToken) => {
        const [page, reply] = await Promise.all([
          signIn(visitorOf(service), 'somebody', { idToken }, provider),
          graphql.ask('{ account { name } }', { token: await idToken({}) }),
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
