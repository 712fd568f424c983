import type { Mutation } from '../mutation.ts'

const provider = 'src/auth/identity/provider.ts'
const attacks = ['test/console/code-flow-attacks.test.ts']

/** The checks of the code flow. Those of the ID token alone are among the guards of identity. */
export const signIn: readonly Mutation[] = [
  {
    name: 'finish a sign-in in any state',
    tests: attacks,
    patch: {
      file: provider,
      from: 'expectedState: state,',
      to: `expectedState: String(callback.searchParams.get('state')),`,
    },
  },
  {
    name: 'use one nonce for every sign-in',
    tests: ['test/console/sign-in-refused.test.ts'],
    patch: { file: provider, from: 'nonce: randomNonce()', to: `nonce: randomNonce().replace(/./g, 'A')` },
  },
  {
    name: 'take an ID token without the nonce of its sign-in',
    tests: ['test/console/sign-in-refused.test.ts', 'test/console/sign-in.test.ts'],
    patch: { file: provider, from: '      expectedNonce: nonce,\n', to: '' },
  },
  {
    name: 'exchange a code without its PKCE verifier',
    tests: attacks,
    patch: { file: provider, from: '      pkceCodeVerifier: verifier,\n', to: '' },
  },
  {
    name: 'begin a sign-in without PKCE',
    tests: ['test/console/sign-in.test.ts', 'test/console/real-provider.test.ts'],
    patch: { file: provider, from: `        code_challenge_method: 'S256',\n`, to: '' },
  },
  {
    name: 'take a token that the provider has not signed',
    tests: ['test/console/sign-in-refused.test.ts'],
    patch: {
      file: provider,
      from: 'const { claims, expires } = await verify(idToken, discovered)',
      to: 'const [claims, expires] = [tokens.claims() ?? {}, new Date(Date.now() + 60_000)]\n    void verify',
    },
  },
  {
    name: 'finish a sign-in that was begun at another provider',
    tests: attacks,
    patch: { file: 'src/apps/console/flow.ts', from: 'begun.provider !== number', to: 'begun.provider < 0' },
  },
  {
    name: 'finish a sign-in twice',
    tests: attacks,
    patch: {
      file: 'src/apps/console/provider-sign-in.ts',
      from: 'if (!(await store.useOnce(begun.used, new Date(Date.now() + flowSeconds * 1000)))) {',
      to: 'if (begun.used.length === 0) {',
    },
  },
  {
    name: 'keep the session that a browser had before a sign-in',
    tests: attacks,
    patch: {
      file: 'src/apps/console/open-session.ts',
      from: 'if (Buffer.isBuffer(older)) await store.signOut(older)\n  else ',
      to: '',
    },
  },
  {
    name: 'trust every tenant of Microsoft',
    tests: ['test/config-sign-in-issuers.test.ts'],
    patch: {
      file: 'src/config/console.ts',
      from: ' && !isOfAnyTenant(value)',
      to: ' && isOfAnyTenant.length === 1',
    },
  },
  {
    name: 'take the e-mail of another account from the UserInfo endpoint',
    tests: ['test/identity/provider.test.ts'],
    patch: { file: provider, from: 'String(claims.sub)', to: `(await import('openid-client')).skipSubjectCheck` },
  },
  {
    name: 'ask a provider that is down with every request',
    tests: ['test/identity/provider.test.ts'],
    patch: {
      file: 'src/auth/identity/discovery.ts',
      from: 'running === undefined && performance.now() < nextAt',
      to: 'nextAt < 0',
    },
  },
  {
    name: 'log what a provider writes',
    tests: ['test/console/sign-in-refused.test.ts'],
    patch: {
      file: 'src/auth/identity/provider-errors.ts',
      from: `/^[\\w.:/-]{1,100}$/.test(text) ? text : 'an error without a proper name'`,
      to: 'text',
    },
  },
  {
    name: 'take the confirmation of an e-mail from elsewhere than the e-mail',
    tests: ['test/identity/provider.test.ts'],
    patch: {
      file: provider,
      from: 'await fetchUserInfo(configuration, accessToken, String(claims.sub))',
      to: 'Object.assign({}, claims, await fetchUserInfo(configuration, accessToken, String(claims.sub)))',
    },
  },
  {
    name: 'accept an e-mail that the provider denies',
    tests: ['test/identity/provider.test.ts'],
    patch: {
      file: 'src/auth/identity/id-token.ts',
      from: "if ([false, 0, '0', 'false'].some((no) => no === verified)) return false",
      to: '',
    },
  },
]
