import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Cell } from '../../src/apps/mover/cell.ts'
import type { MoveOptions } from '../../src/apps/mover/options.ts'
import type { Arriving, Leaving } from '../../src/apps/mover/state.ts'
import { asOwner } from '../../src/database/session.ts'
import { runHere } from '../cli/here.ts'
import { createTestDatabase, type TestDatabase, testSecretKey } from '../support/server.ts'

export type Name = 'eu1' | 'eu2' | 'eu3'
const names: readonly Name[] = ['eu1', 'eu2', 'eu3']
const nowhere = 'postgresql://nobody:hush@127.0.0.1:1/none'

export const options: MoveOptions = { address: '', stopAtMost: 30, report: () => undefined }

/**
 * Three cells, as databases of one server: nothing is copied between them, but every state of a move can be written into them. Each test
 * begins with a new studio, which only eu1 has.
 */
export class Cells {
  private readonly databases = new Map<Name, TestDatabase>()
  private readonly admins = new Map<Name, pg.Client>()
  private folder = ''
  /** The id of the test's studio, which is its name as well. */
  studio = ''

  async open(): Promise<void> {
    for (const name of names) {
      const database = await createTestDatabase()
      this.databases.set(name, database)
      const admin = new pg.Client(database.adminUrl)
      await admin.connect()
      await admin.query('set session_replication_role = replica')
      this.admins.set(name, admin)
    }
    this.folder = await mkdtemp(join(tmpdir(), 'studio-inventory-moves-'))
  }

  async close(): Promise<void> {
    for (const admin of this.admins.values()) await admin.end()
    for (const database of this.databases.values()) await database.drop()
    if (this.folder !== '') await rm(this.folder, { recursive: true })
  }

  async addStudio(): Promise<void> {
    const [row] = await asOwner(this.cell('eu1').url, (transaction) =>
      transaction.query<{ id: string }>(
        `select access.create_studio('North ' || gen_random_uuid(), 'nora@example.com', 'Nora', 'studio', 'UTC', 'EUR') as id`,
      ),
    )
    this.studio = row?.id ?? ''
    await this.query('eu1', 'update app.studios set name = id::text where id = $1', [this.studio])
  }

  cell(name: Name): Cell {
    return { name, url: this.databases.get(name)?.adminUrl ?? '' }
  }

  async query<Row extends object>(name: Name, text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.admins.get(name)?.query<Row>(text, values))?.rows ?? []
  }

  /** Gives a cell the row of the studio that eu1 has. */
  async copyTo(name: Name): Promise<void> {
    const [row] = await this.query<{ row: object }>(
      'eu1',
      'select to_jsonb(s) as row from app.studios s where id = $1',
      [this.studio],
    )
    const [columns] = await this.query<{ list: string }>(
      name,
      `select string_agg(attname, ', ') as list from pg_attribute
       where attrelid = 'app.studios'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    )
    await this.query(
      name,
      `insert into app.studios (${columns?.list}) overriding system value
       select ${columns?.list} from jsonb_populate_record(null::app.studios, $1)`,
      [row?.row],
    )
  }

  /** Writes down what both cells of a move know of it; null for nothing. Returns its id. */
  async know(from: [Name, Leaving | null], to: [Name, Arriving | null], id: string = randomUUID()): Promise<string> {
    for (const [cell, direction, peer, state] of [
      [from[0], 'leaving', to[0], from[1]],
      [to[0], 'arriving', from[0], to[1]],
    ] as const) {
      if (state === null) continue
      await this.query(
        cell,
        `insert into access.studio_moves (id, studio_id, direction, peer, state, started_at)
         values ($1, $2, $3, $4, $5, clock_timestamp())`,
        [id, this.studio, direction, peer, state],
      )
    }
    return id
  }

  /** What a cell says of its moves, the oldest first. */
  async states(name: Name): Promise<string[]> {
    const rows = await this.query<{ state: string }>(
      name,
      'select state from access.studio_moves where studio_id = $1 order by started_at',
      [this.studio],
    )
    return rows.map(({ state }) => state)
  }

  async isWritable(name: Name): Promise<boolean> {
    const [row] = await this.query<{ writable: boolean }>(
      name,
      `select access.accepts_writes($1) and exists (select from app.studios where id = $1) as writable`,
      [this.studio],
    )
    return row?.writable ?? false
  }

  async members(name: Name): Promise<number> {
    return (await this.query(name, 'select from access.members where studio_id = $1', [this.studio])).length
  }

  /**
   * Runs `studio move` with this studio and more arguments.
   *
   * @param listed the cells of CELLS_FILE; those after `down` cannot be reached
   */
  async run(args: string[], { listed = names, down = [] as readonly Name[] } = {}) {
    const file = join(this.folder, `${randomUUID()}.json`)
    const cells = listed.map((name) => ({ name, databaseUrl: down.includes(name) ? nowhere : this.cell(name).url }))
    await writeFile(file, JSON.stringify({ cells }))
    const env = { CELLS_FILE: file, SECRET_KEY: testSecretKey, LOG_LEVEL: 'silent' }
    return runHere(['studio', 'move', ...args], env)
  }

  /** The same with the studio's id as the first argument. */
  move = (args: string[], options?: Parameters<Cells['run']>[1]) => this.run([this.studio, ...args], options)
}

/** The cells of a test file. */
export function useCells(): Cells {
  const cells = new Cells()
  beforeAll(() => cells.open())
  afterAll(() => cells.close())
  beforeEach(() => cells.addStudio())
  return cells
}
