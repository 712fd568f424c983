import type { SignInIssuer } from '../../config/console.ts'
import type { Logger } from '../../observability/log.ts'
import type { SignInMethod } from './context.ts'
import { createDemoIssuer, type DemoPerson } from './demo-issuer.ts'
import { createProvider } from './identity/provider.ts'

/** How people sign in: at the configured providers, else as the people of the demo, who are asked for only then. */
export async function signInMethod(
  issuers: readonly SignInIssuer[],
  demoPeople: () => Promise<DemoPerson[]>,
  log: Logger,
): Promise<SignInMethod> {
  if (issuers.length > 0) return { kind: 'providers', providers: issuers.map((issuer) => createProvider(issuer, log)) }
  return { kind: 'demo', issuer: await createDemoIssuer(await demoPeople()) }
}
