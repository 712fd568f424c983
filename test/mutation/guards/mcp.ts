import type { Mutation } from '../mutation.ts'

export const mcp: readonly Mutation[] = [
  {
    name: 'let a text of the inventory end the mark around the data',
    tests: ['test/mcp/tools.test.ts'],
    patch: { file: 'src/apps/mcp/answers.ts', from: `.replaceAll('<', '\\\\u003c')`, to: '' },
  },
  {
    name: 'let pages of other sites ask at /mcp',
    tests: ['test/mcp/http.test.ts'],
    patch: { file: 'src/apps/mcp/http.ts', from: 'origin !== undefined && origin !== ownOrigin', to: 'false' },
  },
  {
    name: 'answer messages at /mcp whose token nobody has tried',
    tests: ['test/mcp/http.test.ts'],
    patch: {
      file: 'src/apps/mcp/http.ts',
      from: 'limiter.remembered(token.key, addressKey(request.ip)) === undefined && !(await isKnown(get, response))',
      to: 'false',
    },
  },
  {
    name: 'ask for the tools from the address of the service',
    tests: ['test/mcp/http.test.ts'],
    patch: { file: 'src/apps/mcp/in-process.ts', from: `'x-forwarded-for', `, to: '' },
  },
  {
    name: 'add amounts as binary numbers',
    tests: ['test/mcp/sums.test.ts'],
    patch: {
      file: 'src/apps/mcp/amounts.ts',
      from: `BigInt(amount.toFixed(2).replace('.', ''))`,
      to: 'BigInt(Math.trunc(amount * 100))',
    },
  },
  {
    name: 'leave items without valuation out of sums by coverage state',
    tests: ['test/mcp/sums.test.ts'],
    patch: { file: 'src/apps/mcp/sum-items.ts', from: 'items.has(item.id)', to: 'true' },
  },
  {
    name: 'return fields that nobody asked for',
    tests: ['test/mcp/tools.test.ts'],
    patch: { file: 'src/apps/mcp/operation-tools.ts', from: 'fields.includes(name)', to: 'true' },
  },
  {
    name: 'ignore arguments that a tool does not have',
    tests: ['test/mcp/tools.test.ts'],
    patch: { file: 'src/apps/mcp/inputs.ts', from: 'z.strictObject({', to: 'z.object({' },
  },
]
