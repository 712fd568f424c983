import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/server.ts'
import { envFor, runCli } from './run.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const audit = (args: string[] = []) => runCli(['audit', ...args], envFor(database))

it('the matrix as CSV has a line for each column and a column for each role', async () => {
  const { status, stdout } = await audit(['--matrix', '--format', 'csv'])
  expect(status).toBe(0)
  const [headings, ...lines] = stdout.trimEnd().split('\n')
  expect(headings).toBe(
    'relation,column,studio_analyst,studio_api,studio_auditor,studio_console,studio_graphql,studio_recorder,studio_writer',
  )
  expect(lines).toContain('api_v1.items,name,SELECT,SELECT,,,SELECT,,')
  expect(lines).toContain('app.policies,notes,,,,,,,INSERT SELECT UPDATE')
  expect(lines).toContain('access.tokens,digest,,,,,,,')
})
