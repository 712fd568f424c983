import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { sqlState } from '../../src/database/errors.ts'
import { enterStudio } from '../../src/database/session.ts'
import { runImport } from '../../src/importer/run-import.ts'
import { kindNamed } from '../importer/support.ts'
import { type TestDatabase, withClient } from '../support/server.ts'
import { randomChange, rareChanges } from './changes.ts'
import type { Clock } from './clock.ts'
import type { Random } from './random.ts'
import { millisecondsToMidnight } from './studio.ts'

/** The writes to a studio: transactions by kind, refused ones, imports, moves of the clock. */
export type Written = Record<string, number>

type Writing = {
  database: TestDatabase
  studioId: string
  clock: Clock
  random: Random
  going(): boolean
  count(what: string): void
}

const kinds = [
  ...Array.from({ length: 8 }, () => 'short' as const),
  ...(['long', 'long', 'rolled back', 'prepared', 'repeatable read', 'savepoints'] as const),
]

/** Writes at random to a studio until `going` says that it is enough. */
export async function writeAtRandom(parts: Omit<Writing, 'count'>): Promise<Written> {
  const written: Written = {}
  const count = (what: string) => {
    written[what] = (written[what] ?? 0) + 1
  }
  const writing = { ...parts, count }
  const writers = Array.from({ length: 5 }, () => writeTransactions(writing))
  await Promise.all([...writers, importFiles(writing), moveClock(writing)])
  return written
}

async function writeTransactions(writing: Writing): Promise<void> {
  const { database, random, going, count } = writing
  await withClient(database.urlFor('studio_writer'), (writer) =>
    withClient(database.urlFor('studio_owner'), async (owner) => {
      for (const client of [writer, owner]) await client.query(`set lock_timeout = '3s'`)
      const { rows } = await owner.query('show max_prepared_transactions')
      const possible = kinds.filter((kind) => kind !== 'prepared' || rows[0].max_prepared_transactions !== '0')
      while (going()) {
        const kind = random.one(possible)
        const by = random.chance(0.75) ? 'writer' : 'owner'
        const client = by === 'writer' ? writer : owner
        try {
          await writeTransaction(client, by, kind, writing)
          count(kind)
        } catch (error) {
          await client.query('rollback')
          if (!isRefusal(error)) throw error
          count('refused')
        }
        await sleep(random.whole(0, 80))
      }
    }),
  )
}

/** Errors between writers (a deadlock, a late lock, a changed row), and refusals by the rules. */
const isRefusal = (error: unknown) => /^(?:40P01|55P03|40001|235\d\d|SI402)$/.test(sqlState(error) ?? '')

async function writeTransaction(
  client: pg.Client,
  by: 'writer' | 'owner',
  kind: (typeof kinds)[number],
  { studioId, random }: Writing,
): Promise<void> {
  await client.query(kind === 'repeatable read' ? 'begin isolation level repeatable read' : 'begin')
  await enterStudio({ query: async (text, values) => (await client.query(text, [...(values ?? [])])).rows }, studioId)
  if (kind === 'repeatable read') await sleep(random.whole(0, 500))
  for (let left = random.whole(1, 3); left > 0; left -= 1) {
    const change = changeBy(by, random, kind !== 'repeatable read')
    const text = change.text.replaceAll('$1', `'${studioId}'::uuid`)
    if (kind === 'savepoints') {
      await client.query('savepoint before')
      await client.query(text)
      if (random.chance(0.5)) await client.query('rollback to savepoint before')
    } else {
      await client.query(text)
    }
    if (kind === 'long') await sleep(random.whole(100, 1_800))
  }
  if (kind === 'rolled back') await client.query('rollback')
  else if (kind === 'prepared') await prepare(client, random)
  else await client.query('commit')
}

/** Prepares the open transaction, and commits or rolls it back a little later. */
async function prepare(client: pg.Client, random: Random): Promise<void> {
  const name = `sync ${randomBytes(8).toString('hex')}`
  await client.query(`prepare transaction '${name}'`)
  await sleep(random.whole(0, 3_000))
  await client.query(`${random.chance(0.8) ? 'commit' : 'rollback'} prepared '${name}'`)
}

/** Another plan or time zone, in transactions that see what others have committed. */
function changeBy(by: 'writer' | 'owner', random: Random, rare: boolean) {
  for (;;) {
    const change = rare && random.chance(0.1) ? random.one(rareChanges)(random) : randomChange(random)
    if (change.by === by) return change
  }
}

/** Imports a file now and then, which changes what it has and archives what it no longer has. */
async function importFiles({ database, studioId, random, going, count }: Writing): Promise<void> {
  const path = join(tmpdir(), `studio-inventory-sync-${randomBytes(4).toString('hex')}.csv`)
  try {
    while (going()) {
      await sleep(random.whole(500, 2_500))
      const rows = Array.from({ length: 60 }, (_, number) => number)
        .filter(() => random.chance(0.7))
        .map((number) => `KEY-${number},Imported ${random.whole(1, 3)}`)
      await writeFile(path, ['external_key,name', ...rows].join('\n'))
      const writerUrl = database.urlFor('studio_writer')
      const job = { kind: kindNamed('items'), path, studioId, writerUrl, photosDir: '/nowhere' }
      try {
        await runImport({ ...job, archiveMissing: async () => true })
        count('imports')
      } catch (error) {
        if (!isRefusal(error)) throw error
        count('refused')
      }
    }
  } finally {
    await rm(path, { force: true })
  }
}

/** The clock goes forward and back, and over the studio's midnight; a month goes by, too. */
async function moveClock({ clock, database, studioId, random, going, count }: Writing): Promise<void> {
  while (going()) {
    await sleep(random.whole(1_000, 2_500))
    const kind = random.one(['forward and back', 'midnight', 'midnight', 'month'] as const)
    if (kind === 'month') await clock.move(30 * 86_400_000)
    if (kind === 'midnight') await clock.move((await millisecondsToMidnight(database, studioId)) - 700)
    if (kind === 'forward and back') {
      await clock.move(3_000)
      await sleep(random.whole(500, 1_500))
      await clock.move(-3_000)
    }
    count(`clock: ${kind}`)
  }
}
