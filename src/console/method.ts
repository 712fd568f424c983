import type { TrustedIssuer } from '../config/console.ts'
import type { SignInMethod } from './context.ts'
import { createDemoIssuer } from './demo-issuer.ts'
import { originOf } from './forms.ts'
import { createVerifier, remoteKeys } from './identity.ts'

/** How people sign in: at the configured issuer, else as the people of the demo, who are loaded only then. */
export async function signInMethod(trusted: TrustedIssuer | undefined): Promise<SignInMethod> {
  if (trusted !== undefined) {
    const { issuer, audience, jwksUrl, signInUrl } = trusted
    const origins = [originOf(signInUrl), originOf(issuer)].filter((origin) => origin !== '')
    return {
      kind: 'issuer',
      verify: createVerifier({ issuer, audience, keys: remoteKeys(jwksUrl) }),
      signInUrl,
      origins,
    }
  }
  const { demoPeople } = await import('../demo/people.ts')
  return { kind: 'demo', issuer: await createDemoIssuer(demoPeople()) }
}
