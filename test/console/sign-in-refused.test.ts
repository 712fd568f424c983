import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { createVerifier, IdentityRefused } from '../../src/auth/identity/id-token.ts'
import { audience, idToken, issuer, privateKey, publicKey, seconds, useConsole } from './support.ts'

const world = useConsole()
const owner = () => world.cast.a.people.owner

const foreign = await generateKeyPair('ES256')
const sharedSecret = new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey)))
const claims = (email: string) => ({
  iss: issuer,
  aud: audience,
  sub: email,
  email,
  email_verified: true,
  iat: seconds(),
  exp: seconds() + 300,
})

describe('no session is opened, and no cause is told, for', () => {
  const refused: [what: string, token: (email: string) => Promise<string> | string][] = [
    ['no token', () => ''],
    ['no JWT', () => 'svc_studio_abc'],
    ['alg none', (email) => new UnsecuredJWT(claims(email)).encode()],
    [
      'a signature by the public key as a shared secret',
      (email) => new SignJWT(claims(email)).setProtectedHeader({ alg: 'HS256' }).sign(sharedSecret),
    ],
    [
      'a signature by a key of somebody else',
      (email) => new SignJWT(claims(email)).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(foreign.privateKey),
    ],
    [
      'a key that the token itself brings',
      async (email) =>
        new SignJWT(claims(email))
          .setProtectedHeader({ alg: 'ES256', jwk: await exportJWK(foreign.publicKey) })
          .sign(foreign.privateKey),
    ],
    ['another issuer', (email) => idToken(email, { iss: 'https://evil.example' })],
    ['another audience', (email) => idToken(email, { aud: 'somebody-else' })],
    ['several audiences, made for another', (email) => idToken(email, { aud: [audience, 'other'], azp: 'other' })],
    ['an expired token', (email) => idToken(email, { iat: seconds() - 400, exp: seconds() - 31 })],
    ['a token that is not valid yet', (email) => idToken(email, { nbf: seconds() + 60 })],
    ['a token of long ago', (email) => idToken(email, { iat: seconds() - 700, exp: seconds() + 3600 })],
    ['a token from the future', (email) => idToken(email, { iat: seconds() + 120 })],
    ['an e-mail that nobody has verified', (email) => idToken(email, { email_verified: false })],
    ['an e-mail verified in words', (email) => idToken(email, { email_verified: 'true' })],
    [
      'an e-mail whose letters only look alike',
      (email) => idToken(email.replace('k', '\u212a').replace('i', '\u0130')),
    ],
    ['an access token', (email) => idToken(email, {}, { typ: 'at+jwt' })],
    ['no e-mail', (email) => idToken(email, { email: undefined })],
    ['an e-mail of nobody here', () => idToken('nobody@example.com')],
    [
      'no expiry',
      (email) => {
        const { exp: _, ...rest } = claims(email)
        return new SignJWT(rest).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey)
      },
    ],
  ]
  it.each(refused)('%s', async (_what, token) => {
    const visitor = world.stranger()
    const page = await visitor.post('/console/sign-in', { id_token: await token(owner().email) })
    expect(page.status).toBe(401)
    expect(page.text).toContain('You could not be signed in.')
    expect(visitor.cookies.size).toBe(0)
  })

  it('a form of a page elsewhere, or of nowhere', async () => {
    const { port } = world.service
    for (const Origin of ['https://evil.example', 'null', `https://127.0.0.1:${port}`, `http://evil.example:${port}`]) {
      const headers = { Origin, Host: `evil.example:${port}` }
      const page = await world.stranger().post('/console/sign-in', { id_token: await idToken(owner().email) }, headers)
      expect(page.status).toBe(403)
    }
  })
})

it('a signature is taken by a private key alone, whatever keys the issuer shows', async () => {
  const verify = createVerifier({ issuer, audience, keys: async () => sharedSecret, oldestSeconds: 600 })
  const token = await new SignJWT(claims(owner().email)).setProtectedHeader({ alg: 'HS256' }).sign(sharedSecret)
  await expect(verify(token)).rejects.toThrow(IdentityRefused)
})
