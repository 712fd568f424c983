import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { exportJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MakeIdToken, seconds, startProvider, type TestProvider, usualClaims } from '../console/provider.ts'
import { consoleOf, methodOf, signIn, visitorOf } from '../console/support.ts'
import { startGraphql, tokenOf } from '../graphql/support.ts'
import { useWorld } from '../support/world.ts'

/** A key of each type that is named in a signature's `alg`. */
const makeKeys = () => ({
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  p384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  p521: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  ed25519: generateKeyPairSync('ed25519'),
})
type KeyName = keyof ReturnType<typeof makeKeys>
type Header = Record<string, unknown>

/** Keys of the issuer; its key set names no algorithm, so that only the verifier chooses. */
const keys = makeKeys()
const strangers = makeKeys()

/** Signs claims; those that are undefined are left out. */
function sign(claims: JWTPayload, header: Header, key: KeyObject | Uint8Array): Promise<string> {
  const given = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
  return new SignJWT(given).setProtectedHeader({ alg: 'RS256', ...header }).sign(key)
}

// The console and GraphQL, both trusting one issuer.
const world = useWorld()
let provider: TestProvider
let verdicts: Awaited<ReturnType<typeof open>>
const stops: (() => unknown)[] = []
beforeAll(async () => {
  const set = Object.entries(keys).map(async ([kid, { publicKey }]) => ({
    ...(await exportJWK(publicKey)),
    kid,
    use: 'sig',
  }))
  provider = await startProvider(await Promise.all(set))
  verdicts = await open()
})
afterAll(async () => {
  for (const stop of stops) await stop()
})

/** Opens both, with nothing fetched yet. Returns what gives the statuses of a token: of a sign-in to
 * the console with its nonce, and of a query in GraphQL. */
async function open() {
  const { issuer, clientId: audience } = provider
  const service = await world.start({ console: consoleOf({}, methodOf(provider.settings())) })
  const graphql = await startGraphql(world.database, { trusted: { issuer, audience, jwksUrl: `${issuer}/keys` } })
  stops.push(() => graphql.stop())
  return async (idToken: MakeIdToken) => {
    const [page, reply] = await Promise.all([
      signIn(visitorOf(service), 'somebody', { idToken }, provider),
      graphql.ask('{ account { name } }', { token: await idToken({}) }),
    ])
    return { console: page.status, graphql: reply.status }
  }
}

/** The issuer says this about the owner of studio A. */
const claimsOf = (more: object = {}): JWTPayload => {
  const { id, people } = world.cast.a
  return { ...usualClaims(provider.issuer, people.owner.email), studio_id: id, ...more }
}
/** Makes an ID token for them, signed with a key of the issuer. */
const token =
  (claims: JWTPayload = {}, header: Header = {}, key: KeyName = 'rsa'): MakeIdToken =>
  (more) =>
    sign(claimsOf({ ...more, ...claims }), { kid: key, ...header }, keys[key].privateKey)

const taken = { console: 200, graphql: 200 }
const refused = { console: 401, graphql: 401 }
const unknown = { console: 403, graphql: 401 }
const audience = 'studio-inventory'

describe('the same signatures are taken by both', () => {
  test.each<[alg: string, key: KeyName]>([
    ['RS256', 'rsa'],
    ['PS512', 'rsa'],
    ['ES256', 'p256'],
    ['ES384', 'p384'],
    ['ES512', 'p521'],
    ['EdDSA', 'ed25519'],
    ['Ed25519', 'ed25519'],
  ])('%s', async (alg, key) => {
    expect(await verdicts(token({}, { alg }, key))).toEqual(taken)
    const forged: MakeIdToken = (more) => sign(claimsOf(more), { alg, kid: key }, strangers[key].privateKey)
    expect(await verdicts(forged)).toEqual(refused)
  })
})

describe('the same signatures are refused by both:', () => {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const withHeader = (more: object, header: Header, signature = '') =>
    `${encoded({ kid: 'rsa', ...header })}.${encoded(claimsOf(more))}.${signature}`
  const signedByHand = (more: object, header: Header) => {
    const text = withHeader(more, header).slice(0, -1)
    return `${text}.${createSign('sha256').update(text).sign(keys.rsa.privateKey, 'base64url')}`
  }
  const pem = () => Buffer.from(keys.rsa.publicKey.export({ type: 'spki', format: 'pem' }))
  const jwk = async () => Buffer.from(JSON.stringify(await exportJWK(keys.rsa.publicKey)))
  const zeros = Buffer.alloc(64).toString('base64url')

  test.each<[what: string, idToken: MakeIdToken]>([
    ['none', (more) => new UnsecuredJWT(claimsOf(more)).encode()],
    ['none with something for a signature', (more) => withHeader(more, { alg: 'none' }, 'AAAA')],
    ['no algorithm', (more) => withHeader(more, {}, 'AAAA')],
    ['a list of algorithms', (more) => withHeader(more, { alg: ['RS256', 'none'] }, 'AAAA')],
    ['HS256 with the public key as PEM', (more) => sign(claimsOf(more), { alg: 'HS256', kid: 'rsa' }, pem())],
    [
      'HS256 with the public key as JWK',
      async (more) => sign(claimsOf(more), { alg: 'HS256', kid: 'rsa' }, await jwk()),
    ],
    ['a signature of zeros', (more) => withHeader(more, { alg: 'ES256', kid: 'p256' }, zeros)],
    ['no signature under a good algorithm', (more) => withHeader(more, { alg: 'RS256' }, '')],
    ['the key of another algorithm', (more) => token({}, { kid: 'p256' })(more)],
    ['a key of unknown name', (more) => token({}, { kid: 'another' })(more)],
    ['a signature that is cut', async (more) => (await token()(more)).slice(0, -2)],
    ['an extension that nobody knows', (more) => signedByHand(more, { alg: 'RS256', crit: ['x'], x: true })],
    [
      'a key that the token brings',
      async (more) => {
        const header = { kid: undefined, jwk: await exportJWK(strangers.rsa.publicKey) }
        return sign(claimsOf(more), header, strangers.rsa.privateKey)
      },
    ],
  ])('%s', async (_what, idToken) => {
    expect(await verdicts(idToken)).toEqual(refused)
  })
})

describe('the same claims are judged alike by both:', () => {
  const owner = () => world.cast.a.people.owner.email
  test.each<[what: string, verdict: typeof taken, claims: () => object, header?: Header]>([
    ['another issuer', refused, () => ({ iss: 'https://id.example.org' })],
    ['the issuer with a slash more', refused, () => ({ iss: `${provider.issuer}/` })],
    ['another audience', refused, () => ({ aud: 'payroll' })],
    ['several audiences, issued to another party', refused, () => ({ aud: [audience, 'payroll'], azp: 'payroll' })],
    ['several audiences, issued to nobody', refused, () => ({ aud: [audience, 'payroll'] })],
    ['expired', refused, () => ({ iat: seconds() - 200, exp: seconds() - 31 })],
    ['no expiry', refused, () => ({ exp: undefined })],
    ['an expiry after the year 9999', refused, () => ({ exp: 253_402_300_800 })],
    ['not valid yet', refused, () => ({ nbf: seconds() + 60 })],
    ['issued in the future', refused, () => ({ iat: seconds() + 120 })],
    ['issued two hours ago', refused, () => ({ iat: seconds() - 7_200 })],
    ['no subject', refused, () => ({ sub: undefined })],
    ['no e-mail', refused, () => ({ email: undefined })],
    ['a list of e-mails', refused, () => ({ email: [owner()] })],
    ['an e-mail with a space around it', refused, () => ({ email: ` ${owner()}` })],
    ['an e-mail with a NUL', refused, () => ({ email: `${owner()}\0` })],
    ['an e-mail of letters that look alike', refused, () => ({ email: owner().replace('a', '\u0430') })],
    ['an access token', refused, () => ({}), { typ: 'at+jwt' }],
    // The console tells these people why.
    ['an e-mail of nobody', unknown, () => ({ email: 'nobody@example.com' })],
    ['an e-mail that nobody has verified', unknown, () => ({ email_verified: undefined })],
    ['an e-mail verified in words', unknown, () => ({ email_verified: 'true' })],
    ['an e-mail in capitals', taken, () => ({ email: owner().toUpperCase() })],
    ['a clock half a minute off', taken, () => ({ iat: seconds() - 200, exp: seconds() - 20 })],
    ['a clock half a minute ahead', taken, () => ({ iat: seconds() + 20, nbf: seconds() + 20 })],
    ['several audiences, issued to this party', taken, () => ({ aud: [audience, 'payroll'], azp: audience })],
    ['an expiry as late as there is', taken, () => ({ exp: 253_402_300_799 })],
    ['the type of a JWT', taken, () => ({}), { typ: 'JWT' }],
  ])('%s', async (_what, verdict, claims, header) => {
    expect(await verdicts(token(claims() as never, header))).toEqual(verdict)
  })
})

describe('where the two differ', () => {
  test('the console takes the token of a sign-in for ten minutes, GraphQL as often as it is shown for an hour', async () => {
    const fixed = await token()({})
    for (let n = 0; n < 2; n++) expect(await verdicts(() => fixed)).toEqual({ console: 401, graphql: 200 })
    const old = token({ iat: seconds() - 1_800 })
    expect(await verdicts(old)).toEqual({ console: 401, graphql: 200 })
  })

  test('GraphQL wants to know the studio; the console lets the person choose', async () => {
    expect(await verdicts(token({ studio_id: undefined }))).toEqual({ console: 200, graphql: 401 })
    expect(await verdicts(token({ studio_id: world.cast.b.id }))).toEqual({ console: 200, graphql: 401 })
  })
})

test('while the issuer’s keys cannot be fetched, both answer 503 instead of a refusal', async () => {
  provider.away.keys = true
  const opened = await open()
  expect(await opened(token())).toEqual({ console: 503, graphql: 503 })
  // Tokens of the service itself are still accepted.
  expect(await opened(() => tokenOf(world.cast.a))).toMatchObject({ graphql: 200 })
  provider.away.keys = false
  // The service asks for them again after a moment.
  await expect.poll(async () => opened(token()), { timeout: 10_000, interval: 800 }).toEqual(taken)
})
