import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/server.ts'
import { runHere } from './here.ts'
import { envFor } from './run.ts'

const docs = join(import.meta.dirname, '../../docs')
let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const run = (...args: string[]) => runHere(args, envFor(database))

test('a studio made by the documented command takes the examples, in the documented order', async () => {
  const page = await readFile(join(docs, 'importing.md'), 'utf8')
  const [, name = '', email = ''] = /studio create '([^']+)' --owner-email (\S+?)`/.exec(page) ?? []
  const order = /Import in this order[^:]*:\s*([^.]+)\./.exec(page)?.[1] ?? ''
  const kinds = [...order.matchAll(/`([a-z-]+)`/g)].map(([, kind = '']) => kind)
  expect(kinds).toEqual(['locations', 'items', 'policies', 'assignments', 'maintenance', 'market-values', 'photos'])
  expect((await run('studio', 'create', name, '--owner-email', email)).status).toBe(0)
  for (const kind of kinds.slice(0, -1)) {
    const done = await run('import', kind, join(docs, 'examples', `${kind}.csv`), '--studio', name)
    expect({ kind, ...done }).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+ rows: \d+ added/) })
  }
})
