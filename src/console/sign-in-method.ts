import type { SignInIssuer } from '../config/console.ts'
import type { Logger } from '../log.ts'
import { createProvider, type Provider } from './identity/provider.ts'

/** How people sign in: at identity providers, or as a person of the demo. */
export type SignInMethod =
  | { kind: 'providers'; providers: readonly Provider[] }
  | { kind: 'demo'; people: readonly DemoPerson[] }

/** The configured providers, or without any the people of the demo, who are loaded only then. */
export async function signInMethod(
  issuers: readonly SignInIssuer[],
  demoPeople: () => Promise<DemoPerson[]>,
  log: Logger,
): Promise<SignInMethod> {
  if (issuers.length > 0) return { kind: 'providers', providers: issuers.map((issuer) => createProvider(issuer, log)) }
  return { kind: 'demo', people: await demoPeople() }
}

/** A membership of a demo studio, and the plan by which the studio may use the API. */
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
