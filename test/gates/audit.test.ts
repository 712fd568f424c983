import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Inventory, readInventory } from '../../src/apps/audit/inventory.ts'
import {
  difference,
  digestOf,
  makeReference,
  merge,
  nameOf,
  print,
  readPristine,
  readReference,
  referenceFile,
} from '../../src/apps/audit/reference.ts'
import { inTransaction } from '../../src/database/client.ts'
import { asAuditor } from '../../src/database/session.ts'
import { gateMessage, rewritten } from '../support/gate-message.ts'
import { asAdmin, createTestDatabase, databaseUrl, type TestDatabase } from '../support/server.ts'

/** The others print some definitions in words of their own; those are kept apart. */
const commonMajor = 18

let database: TestDatabase
let installed: Inventory
let pristine: Inventory
beforeAll(async () => {
  database = await createTestDatabase()
  installed = await asAuditor(database.adminUrl, (transaction) => readInventory(transaction, {}))
  const name = `${database.name}_pristine`
  await asAdmin(database, (admin) => admin.query(`create database ${name} template template0`))
  try {
    pristine = await inTransaction(databaseUrl(database.adminUrl, name), (transaction) =>
      readInventory(transaction, {}),
    )
  } finally {
    await asAdmin(database, (admin) => admin.query(`drop database ${name} with (force)`))
  }
})
afterAll(() => database.drop())

it('what the migrations install is the reference that the audit compares with', async () => {
  const reference = makeReference(installed, pristine)
  if (installed.major === commonMajor) {
    const wrong = rewritten('src/apps/audit/reference/', 'the migrations install', 'npx vitest run test/gates')
    await expect(print(reference), wrong).toMatchFileSnapshot(referenceFile())
    return
  }
  const common = await readReference(Number.NaN)
  const own = difference(reference, common)
  const run = `TEST_POSTGRES_BIN=/usr/lib/postgresql/${installed.major}/bin npx vitest run test/gates/audit.test.ts`
  const wrong = rewritten(`src/apps/audit/reference/, of PostgreSQL ${installed.major},`, 'the migrations install', run)
  await expect(print(own), wrong).toMatchFileSnapshot(referenceFile(installed.major))
  expect(merge(common, own).things).toEqual(reference.things)
})

it('a new server of this version has no object that the reference does not know', async () => {
  const known = await readPristine(pristine.major)
  expect(pristine.system.length).toBeGreaterThan(5000)
  const wrong = gateMessage({
    wrong: `src/apps/audit/reference/ does not know what a new server of PostgreSQL ${pristine.major} comes with`,
    run: 'node scripts/pristine.ts',
  })
  expect(pristine.system.filter((thing) => !known?.has(digestOf(thing))).map(nameOf), wrong).toEqual([])
})
