import type { SignInIssuer } from '../config/console.ts'
import type { Logger } from '../log.ts'
import { createProvider, type Provider } from './identity/provider.ts'

/** How people sign in: at identity providers, or, in the demo, as one of its people. */
export type SignInMethod =
  | { kind: 'providers'; providers: readonly Provider[] }
  | { kind: 'demo'; people: readonly DemoPerson[] }

/** How people sign in: at the configured providers, else as the people of the demo, who are asked for only then. */
export async function signInMethod(
  issuers: readonly SignInIssuer[],
  demoPeople: () => Promise<DemoPerson[]>,
  log: Logger,
): Promise<SignInMethod> {
  if (issuers.length > 0) return { kind: 'providers', providers: issuers.map((issuer) => createProvider(issuer, log)) }
  return { kind: 'demo', people: await demoPeople() }
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
