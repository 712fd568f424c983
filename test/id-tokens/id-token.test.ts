import { createSign } from 'node:crypto'
import { exportJWK, UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import type { MakeIdToken } from '../console/provider.ts'
import { type Header, type KeyName, keys, makeKeys, seconds, sign, useIssuer } from './support.ts'

const world = useIssuer()
const strangers = makeKeys()

const taken = { console: 200, graphql: 200 }
const refused = { console: 401, graphql: 401 }

/** The letters that become ASCII when case is folded: KELVIN SIGN, I WITH DOT ABOVE. */
const [kelvin, dottedI] = ['\u212a', '\u0130']

describe('an e-mail that is somebody else’s once its case is folded is refused by both', () => {
  test.each([
    ['Kanal 9', 'jonas@kanal9.example', `jonas@${kelvin}anal9.example`],
    ['Northlight', 'priya@northlight.example', `pr${dottedI}ya@northlight.example`],
  ])('%s', async (studio, email, lookalike) => {
    const { id } = await world.newStudio()
    await world.owner('select access.add_member($1, $2, $3, $4)', [id, email, studio, 'owner'])
    expect(await world.verdicts(world.token({ email, studio_id: id }))).toEqual(taken)
    expect(await world.verdicts(world.token({ email: email.toUpperCase(), studio_id: id }))).toEqual(taken)
    expect(await world.verdicts(world.token({ email: lookalike, studio_id: id }))).toEqual(refused)
    // Nor is it let in as itself: nobody is known here by an address that is not ASCII.
    await world.owner('select access.add_member($1, $2, $3, $4)', [id, lookalike, studio, 'owner'])
    expect(await world.verdicts(world.token({ email: lookalike, studio_id: id }))).toEqual(refused)
  })
})

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
    expect(await world.verdicts(world.token({}, { alg }, key))).toEqual(taken)
    const forged: MakeIdToken = (more) =>
      sign({ ...world.claims(), ...more }, { alg, kid: key }, strangers[key].privateKey)
    expect(await world.verdicts(forged)).toEqual(refused)
  })
})

describe('the same signatures are refused by both:', () => {
  const claims = (more: object) => ({ ...world.claims(), ...more })
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const withHeader = (more: object, header: Header, signature = '') =>
    `${encoded({ kid: 'rsa', ...header })}.${encoded(claims(more))}.${signature}`
  const signedByHand = (more: object, header: Header) => {
    const text = withHeader(more, header).slice(0, -1)
    return `${text}.${createSign('sha256').update(text).sign(keys.rsa.privateKey, 'base64url')}`
  }
  const pem = () => Buffer.from(keys.rsa.publicKey.export({ type: 'spki', format: 'pem' }))
  const jwk = async () => Buffer.from(JSON.stringify(await exportJWK(keys.rsa.publicKey)))
  const zeros = Buffer.alloc(64).toString('base64url')

  test.each<[what: string, idToken: MakeIdToken]>([
    ['none', (more) => new UnsecuredJWT(claims(more)).encode()],
    ['none with something for a signature', (more) => withHeader(more, { alg: 'none' }, 'AAAA')],
    ['no algorithm', (more) => withHeader(more, {}, 'AAAA')],
    ['a list of algorithms', (more) => withHeader(more, { alg: ['RS256', 'none'] }, 'AAAA')],
    ['HS256 with the public key as PEM', (more) => sign(claims(more), { alg: 'HS256', kid: 'rsa' }, pem())],
    ['HS256 with the public key as JWK', async (more) => sign(claims(more), { alg: 'HS256', kid: 'rsa' }, await jwk())],
    ['a signature of zeros', (more) => withHeader(more, { alg: 'ES256', kid: 'p256' }, zeros)],
    ['no signature under a good algorithm', (more) => withHeader(more, { alg: 'RS256' }, '')],
    ['the key of another algorithm', (more) => world.token({}, { kid: 'p256' })(more)],
    ['a key of unknown name', (more) => world.token({}, { kid: 'another' })(more)],
    ['a signature that is cut', async (more) => (await world.token()(more)).slice(0, -2)],
    ['an extension that nobody knows', (more) => signedByHand(more, { alg: 'RS256', crit: ['x'], x: true })],
    [
      'a key that the token brings',
      async (more) => {
        const header = { kid: undefined, jwk: await exportJWK(strangers.rsa.publicKey) }
        return sign(claims(more), header, strangers.rsa.privateKey)
      },
    ],
  ])('%s', async (_what, idToken) => {
    expect(await world.verdicts(idToken)).toEqual(refused)
  })
})

describe('the same claims are refused by both:', () => {
  test.each<[what: string, claims: () => object, header?: Header]>([
    ['another issuer', () => ({ iss: 'https://id.example.org' })],
    ['the issuer with a slash more', () => ({ iss: `${world.issuer}/` })],
    ['another audience', () => ({ aud: 'payroll' })],
    ['several audiences, issued to another party', () => ({ aud: ['studio-inventory', 'payroll'], azp: 'payroll' })],
    ['several audiences, issued to nobody', () => ({ aud: ['studio-inventory', 'payroll'] })],
    ['expired', () => ({ iat: seconds() - 200, exp: seconds() - 31 })],
    ['no expiry', () => ({ exp: undefined })],
    ['an expiry after the year 9999', () => ({ exp: 253_402_300_800 })],
    ['not valid yet', () => ({ nbf: seconds() + 60 })],
    ['issued in the future', () => ({ iat: seconds() + 120 })],
    ['issued two hours ago', () => ({ iat: seconds() - 7_200 })],
    ['no subject', () => ({ sub: undefined })],
    ['no e-mail', () => ({ email: undefined })],
    ['a list of e-mails', () => ({ email: [world.cast.a.people.owner.email] })],
    ['an e-mail with a space around it', () => ({ email: ` ${world.cast.a.people.owner.email}` })],
    ['an e-mail with a NUL', () => ({ email: `${world.cast.a.people.owner.email}\0` })],
    ['an e-mail of letters that look alike', () => ({ email: world.cast.a.people.owner.email.replace('a', '\u0430') })],
    ['an access token', () => ({}), { typ: 'at+jwt' }],
  ])('%s', async (_what, claims, header) => {
    expect(await world.verdicts(world.token(claims() as never, header))).toEqual(refused)
  })
})

describe('the same persons are refused by both, to whom the console says why:', () => {
  test.each<[what: string, claims: () => object]>([
    ['an e-mail of nobody', () => ({ email: 'nobody@example.com' })],
    ['an e-mail that nobody has verified', () => ({ email_verified: undefined })],
    ['an e-mail verified in words', () => ({ email_verified: 'true' })],
  ])('%s', async (_what, claims) => {
    expect(await world.verdicts(world.token(claims() as never))).toEqual({ console: 403, graphql: 401 })
  })
})

describe('the same claims are taken by both:', () => {
  test.each<[what: string, claims: () => object, header?: Header]>([
    ['a clock half a minute off', () => ({ iat: seconds() - 200, exp: seconds() - 20 })],
    ['a clock half a minute ahead', () => ({ iat: seconds() + 20, nbf: seconds() + 20 })],
    [
      'several audiences, issued to this party',
      () => ({ aud: ['studio-inventory', 'payroll'], azp: 'studio-inventory' }),
    ],
    ['an expiry as late as there is', () => ({ exp: 253_402_300_799 })],
    ['the type of a JWT', () => ({}), { typ: 'JWT' }],
  ])('%s', async (_what, claims, header) => {
    expect(await world.verdicts(world.token(claims() as never, header))).toEqual(taken)
  })
})

describe('where the two differ', () => {
  test('the console takes the token of a sign-in for ten minutes, GraphQL as often as it is shown for an hour', async () => {
    const fixed = await world.token()({})
    for (let n = 0; n < 2; n++) expect(await world.verdicts(() => fixed)).toEqual({ console: 401, graphql: 200 })
    const old = world.token({ iat: seconds() - 1_800 })
    expect(await world.verdicts(old)).toEqual({ console: 401, graphql: 200 })
  })

  test('GraphQL wants to know the studio; the console lets the person choose', async () => {
    expect(await world.verdicts(world.token({ studio_id: undefined }))).toEqual({ console: 200, graphql: 401 })
    expect(await world.verdicts(world.token({ studio_id: world.cast.b.id }))).toEqual({ console: 200, graphql: 401 })
  })
})

test('while the issuer’s keys cannot be fetched, both answer 503 instead of a refusal', async () => {
  world.keySet.away = true
  const verdicts = await world.open()
  expect(await verdicts(world.token())).toEqual({ console: 503, graphql: 503 })
  world.keySet.away = false
  // They are asked for again after a moment.
  await expect.poll(async () => verdicts(world.token()), { timeout: 10_000, interval: 800 }).toEqual(taken)
})
