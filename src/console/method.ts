import type { SignInIssuer } from '../config/console.ts'
import { createVerifier } from '../identity/id-token.ts'
import { remoteKeys } from '../identity/keys.ts'
import type { SignInMethod } from './context.ts'
import { createDemoIssuer } from './demo-issuer.ts'
import { originOf } from './forms.ts'

/** How old the ID token of a sign-in may be, in seconds. */
export const oldestSeconds = 10 * 60

/** How people sign in: at the configured issuer, else as the people of the demo, who are loaded only then. */
export async function signInMethod(trusted: SignInIssuer | undefined): Promise<SignInMethod> {
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
  const { demoPeople } = await import('../demo/people.ts')
  return { kind: 'demo', issuer: await createDemoIssuer(demoPeople()) }
}
