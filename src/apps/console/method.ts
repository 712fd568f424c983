import { createVerifier } from '../../auth/identity/id-token.ts'
import { remoteKeys } from '../../auth/identity/keys.ts'
import type { SignInIssuer } from '../../config/console.ts'
import type { SignInMethod } from './context.ts'
import { createDemoIssuer, type DemoPerson } from './demo-issuer.ts'
import { originOf } from './forms.ts'

/** How old the ID token of a sign-in may be, in seconds. */
export const oldestSeconds = 10 * 60

/** How people sign in: at the configured issuer, else as the people of the demo, who are asked for only then. */
export async function signInMethod(
  trusted: SignInIssuer | undefined,
  demoPeople: () => Promise<DemoPerson[]>,
): Promise<SignInMethod> {
  if (trusted !== undefined) {
    const { issuer, audience, jwksUrl, signInUrl } = trusted
    const origins = [originOf(signInUrl), originOf(issuer)].filter((origin) => origin !== '')
    return {
      kind: 'issuer',
      verify: createVerifier({ issuer, audience, keys: remoteKeys(jwksUrl), oldestSeconds }),
      signInUrl,
      origins,
    }
  }
  return { kind: 'demo', issuer: await createDemoIssuer(await demoPeople()) }
}
