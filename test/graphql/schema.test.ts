import { join } from 'node:path'
import {
  GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  lexicographicSortSchema,
  printSchema,
} from 'postgraphile/graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool, type Pool } from '../../src/database/pool.ts'
import { buildSchema } from '../../src/graphql/schema.ts'
import { makeLogger } from '../../src/log.ts'
import { rewritten } from '../support/gate-message.ts'
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/server.ts'

let database: TestDatabase
let pool: Pool
let built: GraphQLSchema

beforeAll(async () => {
  database = await createTestDatabase()
  const log = makeLogger({ level: 'silent' })
  pool = createPool(database.urlFor('studio_graphql'), {
    applicationName: 'test',
    size: 1,
    acquireTimeoutMs: 2_000,
    statementTimeoutMs: 20_000,
    log,
  })
  built = await buildSchema(pool)
})
afterAll(async () => {
  await pool?.close()
  await database?.drop()
})

/** The schema as text, in an order that does not depend on how it was built. */
const printedSchema = (schema: GraphQLSchema) => `${printSchema(lexicographicSortSchema(schema))}\n`

test('docs/schema.graphql is the schema (npm run generate writes it: read the difference)', async () => {
  const wrong = rewritten('docs/schema.graphql', 'the views make')
  await expect(printedSchema(built), wrong).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/schema.graphql'))
})

test('there is nothing to change and nothing to listen to', () => {
  expect(built.getMutationType()).toBeUndefined()
  expect(built.getSubscriptionType()).toBeUndefined()
  expect(built.getDirectives().map(({ name }) => name)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/stream|defer/)]),
  )
})

test('no number of the schema is a float', () => {
  for (const type of Object.values(built.getTypeMap())) {
    if (!(type instanceof GraphQLObjectType) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      expect(`${type.name}.${field.name}: ${getNamedType(field.type).name}`).not.toMatch(/: Float$/)
    }
  }
})

test('what is added to the database is not in the schema until somebody says so', async () => {
  await asAdmin(database, async (admin) => {
    await admin.query(`
      create view api_v1.more with (security_invoker = true) as select i.id, i.name from app.items i;
      grant select on api_v1.more to studio_graphql;
      create function api_v1.compute(item api_v1.items) returns text language sql stable return item.name;
      create function api_v1.run() returns text language sql volatile return 'x';
      grant execute on function api_v1.compute, api_v1.run to studio_graphql;`)
  })
  expect(printedSchema(await buildSchema(pool))).toBe(printedSchema(built))
})
