import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { SignInIssuer } from '../../config/console.ts'
import { createVerifier, type VerifyIdToken } from '../../identity/id-token.ts'
import type { Logger } from '../../observability/log.ts'
import { createProvider, type Provider } from './identity/provider.ts'

/** How people sign in: at identity providers, or, in the demo, as one of its people. */
export type SignInMethod = { kind: 'providers'; providers: readonly Provider[] } | { kind: 'demo'; issuer: DemoIssuer }

/** How people sign in: at the configured providers, else as the people of the demo, who are asked for only then. */
export async function signInMethod(
  issuers: readonly SignInIssuer[],
  demoPeople: () => Promise<DemoPerson[]>,
  log: Logger,
): Promise<SignInMethod> {
  if (issuers.length > 0) return { kind: 'providers', providers: issuers.map((issuer) => createProvider(issuer, log)) }
  return { kind: 'demo', issuer: await createDemoIssuer(await demoPeople()) }
}

/** A membership of a demo studio, and by what plan that studio may use the API. */
export type DemoMembership = {
  studio: string
  role: 'owner' | 'admin' | 'member'
  plan: 'active' | 'trial' | 'lapsed'
}

/** Somebody of the demo studios. */
export type DemoPerson = {
  email: string
  name: string
  memberships: readonly [DemoMembership, ...DemoMembership[]]
}

/** An issuer in this process, with a key that lives as long as the process does, for the people of the demo studios alone. */
export type DemoIssuer = {
  people: readonly DemoPerson[]
  verify: VerifyIdToken
  /** An ID token for one of the people; null for anybody else. */
  issue(email: string): Promise<string | null>
}

const issuer = 'urn:studio-inventory:demo'
const audience = 'console'
const oldestSeconds = 60

async function createDemoIssuer(people: readonly DemoPerson[]): Promise<DemoIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig' }] })
  return {
    people,
    verify: createVerifier({ issuer, audience, keys, oldestSeconds }),
    async issue(email) {
      if (!people.some((person) => person.email === email)) return null
      return new SignJWT({ email, email_verified: true })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(email)
        .setJti(crypto.randomUUID())
        .setIssuedAt()
        .setExpirationTime(`${oldestSeconds} seconds`)
        .sign(privateKey)
    },
  }
}
