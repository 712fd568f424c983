import type { Mutation } from '../mutation.ts'

export const description: readonly Mutation[] = [
  {
    name: 'leave an answer out of the description',
    tests: ['test/openapi'],
    patch: { file: 'src/apps/docs/openapi/responses.ts', from: `    'RateLimited',\n`, to: '' },
  },
  {
    name: 'let the description forbid fields that v1 may gain',
    tests: ['test/openapi/schemas.test.ts'],
    patch: {
      file: 'src/apps/docs/openapi/schemas.ts',
      from: 'if (schema.additionalProperties === false) delete schema.additionalProperties',
      to: '',
    },
  },
  {
    name: 'write a hyphen for the em dash of a category',
    tests: ['test/openapi/schemas.test.ts'],
    patch: {
      file: 'src/domain/vocabulary.ts',
      from: `'Outboard \\u2014 Dynamics & EQ'`,
      to: `'Outboard - Dynamics & EQ'`,
    },
  },
]
