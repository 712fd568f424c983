import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asOwner } from '../../src/database/session.ts'
import { demoStudios } from '../../src/demo/studios.ts'
import { signAnalystToken } from '../../src/graphql/analyst-token.ts'
import { limits } from '../../src/graphql/limits.ts'
import { type Demo, startDemo } from '../openapi/demo.ts'
import { testSecretKey } from '../support/server.ts'
import { type GraphqlService, startGraphql } from './support.ts'

const file = join(import.meta.dirname, '../../docs/graphql.md')
let demo: Demo
let graphql: GraphqlService
let identity: { studioId: string; userId: string }

beforeAll(async () => {
  demo = await startDemo()
  graphql = await startGraphql(demo.database)
  const [studio] = await asOwner(demo.database.adminUrl, ({ query }) =>
    query<{ studioId: string; userId: string }>(
      'select id as "studioId", access.owner_of(id) as "userId" from app.studios where name = $1',
      [demoStudios[0].name],
    ),
  )
  identity = studio as typeof identity
})
afterAll(async () => {
  await graphql?.stop()
  await demo?.close()
})

/** Each query with its variables, and the place of its answer. */
const blocks = /```graphql\n(.*?)```\n(?:\nVariables: `(.*?)`\n)?\n```json\n.*?```/gs

async function answered(page: string): Promise<string> {
  const token = await signAnalystToken(testSecretKey, identity)
  let text = page
  for (const [block, query = '', variables] of page.matchAll(blocks)) {
    const reply = await graphql.ask(query, { token, variables: JSON.parse(variables ?? '{}') })
    expect(reply.errors, query).toBeUndefined()
    const answer = JSON.stringify({ data: reply.data }, null, 2)
    text = text.replace(block, () => block.replace(/```json\n.*?```/s, () => `\`\`\`json\n${compact(answer)}\n\`\`\``))
  }
  return text
}

/** Pairs of brackets that are complete, while the search goes on for others. */
const hidden = new Map([...'{[]}'].map((bracket) => [bracket, String.fromCodePoint(0xe000 + bracket.charCodeAt(0))]))

/** Objects and lists are on one line, where it is not too long. */
function compact(json: string): string {
  let [before, after] = ['', json]
  while (before !== after) {
    before = after
    after = before.replace(/([{[])\n\s+([^{}[\]]*?)\n\s+([}\]])/g, (whole, open, inner, close) => {
      const line = inner.replace(/\n\s+/g, ' ')
      const space = open === '{' ? ' ' : ''
      return line.length > 100 ? whole : `${hidden.get(open)}${space}${line}${space}${hidden.get(close)}`
    })
  }
  for (const [bracket, mark] of hidden) after = after.replaceAll(mark, bracket)
  return after
}

test('the answers on the page are those of the demo (npm run generate writes them)', async () => {
  const page = await readFile(file, 'utf8')
  expect([...page.matchAll(blocks)]).toHaveLength(3)
  await expect(await answered(page)).toMatchFileSnapshot(file)
})

test('the limits on the page are those in force', async () => {
  const page = await readFile(file, 'utf8')
  const { bodyBytes, tokens, depth, fields, rows, groups, cost, answerBytes, pattern } = limits
  const cells = [
    `${bodyBytes / 1024} KiB`,
    ...[tokens, depth, fields, rows, groups, cost].map((n) => n.toLocaleString('en-US')),
    `${answerBytes / 1e6} MB`,
    String(pattern),
  ]
  const table = page.slice(page.indexOf('## Limits'))
  expect([...table.matchAll(/\| ([\d,]+(?: KiB| MB)?)[ ,]/g)].map(([, cell]) => cell)).toEqual(cells)
})
