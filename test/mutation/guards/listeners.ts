import type { Mutation } from '../mutation.ts'

const graphqlApp = 'src/apps/graphql/app.ts'
const express = 'src/http/app.ts'
const clientErrors = 'src/http/server.ts'

/** What is between the network and the handlers, of the API and of GraphQL. */
export const listeners: readonly Mutation[] = [
  {
    name: 'ask the database whenever somebody asks /readyz',
    tests: ['test/process/remember-readiness.test.ts'],
    patch: { file: 'src/http/readiness.ts', from: 'now() - last.at < maxAgeMs', to: 'now() < 0' },
  },
  {
    name: 'take the first of two Authorization headers in the API',
    tests: ['test/rest/authentication.test.ts'],
    patch: { file: 'src/api/operation-handler.ts', from: `occurrences(request, 'authorization') === 1`, to: 'true' },
  },
  {
    name: 'take the first of two Authorization headers in GraphQL',
    tests: ['test/graphql/identity.test.ts'],
    patch: {
      file: 'src/apps/graphql/post-handler.ts',
      from: `occurrences(request, 'authorization') === 1`,
      to: 'true',
    },
  },
  {
    name: 'know no trusted proxy in GraphQL',
    tests: ['test/graphql/listener.test.ts'],
    patch: { file: express, from: `  app.set('trust proxy', trustProxy)\n`, to: '' },
  },
  {
    name: 'believe every proxy in GraphQL',
    tests: ['test/graphql/listener.test.ts'],
    patch: { file: express, from: `app.set('trust proxy', trustProxy)`, to: `app.set('trust proxy', true)` },
  },
  {
    name: 'take malformed requests in GraphQL',
    tests: ['test/graphql/listener.test.ts'],
    patch: {
      file: express,
      from: 'if (fault === null) return done',
      to: 'if (fault !== undefined) return done',
    },
  },
  {
    name: 'keep the connection of a malformed request in GraphQL',
    tests: ['test/graphql/listener.test.ts'],
    patch: { file: express, from: `    response.setHeader('Connection', 'close')\n`, to: '' },
  },
  {
    name: 'leave the listener of GraphQL as Node made it',
    tests: ['test/graphql/listener.test.ts'],
    patch: { file: 'src/apps/graphql/server.ts', from: '  hardenServer(server,', to: '  void (server,' },
  },
  {
    name: 'take GraphQL at an address in other letters',
    tests: ['test/graphql/listener.test.ts'],
    patch: { file: express, from: `  app.enable('case sensitive routing')\n`, to: '' },
  },
  {
    name: 'decode the addresses of GraphQL as they come',
    tests: ['test/http/security-headers.test.ts'],
    patch: { file: graphqlApp, from: `    request.url = normalizeTarget(request.url ?? '/')\n`, to: '' },
  },
  {
    name: 'wait for headers as long as for a body',
    tests: ['test/http/timeouts.test.ts'],
    patch: { file: clientErrors, from: '  headersTimeout: 15_000,\n', to: '' },
  },
  {
    name: 'wait for a body as long as Node does',
    tests: ['test/http/timeouts.test.ts'],
    patch: { file: clientErrors, from: '  requestTimeout: 30_000,\n', to: '' },
  },
  {
    name: 'end idle connections as soon as Node does',
    tests: ['test/http/timeouts.test.ts'],
    patch: { file: clientErrors, from: '  keepAliveTimeout: 65_000,\n', to: '' },
  },
  {
    name: 'keep connections without traffic',
    tests: ['test/http/timeouts.test.ts'],
    patch: { file: clientErrors, from: '  timeout: 120_000,\n', to: '' },
  },
  ...[
    { page: 'console', file: 'src/apps/console/respond.ts' },
    { page: 'reference', file: 'src/apps/page-headers.ts' },
    { page: 'front door', file: 'src/apps/front/routes.ts' },
  ].flatMap(({ page, file }) => {
    const header = (name: string, from: string) => ({
      name: `send pages of the ${page} without ${name}`,
      tests: ['test/http/security-headers.test.ts'],
      patch: { file, from, to: '' },
    })
    return [
      header('frame-ancestors', `    "frame-ancestors 'none'",\n`),
      header(
        'Referrer-Policy',
        page === 'console' ? `  'Referrer-Policy': 'same-origin',\n` : `  'Referrer-Policy': 'no-referrer',\n`,
      ),
      header('Cross-Origin-Resource-Policy', `  'Cross-Origin-Resource-Policy': 'same-origin',\n`),
    ]
  }),
  {
    name: 'send pages of the console without Cross-Origin-Opener-Policy',
    tests: ['test/http/security-headers.test.ts'],
    patch: { file: 'src/apps/console/respond.ts', from: `  'Cross-Origin-Opener-Policy': 'same-origin',\n`, to: '' },
  },
  {
    name: 'let browsers guess what an answer is',
    tests: ['test/http/security-headers.test.ts'],
    patch: { file: 'src/http/response.ts', from: `  'X-Content-Type-Options': 'nosniff',\n`, to: '' },
  },
]
