import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { abortMove, finishMove } from '../../src/apps/mover/abort.ts'
import type { Cell } from '../../src/apps/mover/cell.ts'
import { type Moved, moveStudio } from '../../src/apps/mover/move.ts'
import type { MoveOptions, MoveStep } from '../../src/apps/mover/options.ts'
import { withClient } from '../../src/database/client.ts'
import { testSecretKey } from '../support/server.ts'
import { makeOwnDatabase, type OwnStudio } from './own-database.ts'
import { closeAtEnd, type Instance, startInstance } from './processes.ts'
import { embeddedPrograms, makePrimary, makeServerFolder, type Server, stopServer, urlOf } from './servers.ts'

/** Two cells, each a cluster of its own, with one studio each, and a service on both. */
export type TwoCells = {
  one: Cell & { server: Server }
  two: Cell & { server: Server }
  /** The studio of the first cell, which moves. */
  studio: OwnStudio
  /** That of the second, which stays. */
  neighbour: OwnStudio
  env: Record<string, string>
  instance: Instance
}

const unlimited = { RATE_LIMIT_STUDIO_PER_SECOND: '100000', RATE_LIMIT_STUDIO_PER_MINUTE: '100000' }

/** Which server a cell has. TEST_CELL_ONE_BIN and TEST_CELL_TWO_BIN name `bin` folders of others. */
type Kind = Pick<Server, 'own'> & { embedded?: true }
const programsOf = (name: string) => process.env[`TEST_CELL_${name.toUpperCase()}_BIN`]

/** Makes them; they end with the file. */
export async function makeTwoCells(kinds: { one?: Kind; two?: Kind } = {}): Promise<TwoCells> {
  const [one, two] = [await makeCell('one', kinds.one), await makeCell('two', kinds.two)]
  const file = join(one.server.folder, '../cells.json')
  const cells = [one, two].map(({ name, url }) => ({ name, databaseUrl: url }))
  await writeFile(file, JSON.stringify({ cells }))
  const env = { CELLS_FILE: file, SECRET_KEY: testSecretKey, POOL_SIZE: '4', ...unlimited }
  const instance = await startInstance(env)
  return { one, two, studio: one.studio, neighbour: two.studio, env, instance }
}

async function makeCell(name: string, kind: Kind = {}) {
  const folder = await makeServerFolder()
  closeAtEnd(() => rm(folder, { recursive: true, force: true }))
  const programs = programsOf(name) ?? (kind.embedded && (await embeddedPrograms(folder)))
  const server = await makePrimary(folder, { own: kind.own ?? [], programs })
  closeAtEnd(() => stopServer(server, 'immediate').catch(() => undefined))
  const url = urlOf(server, 'studio_inventory')
  return { name, url, server, studio: await makeOwnDatabase(urlOf(server), url) }
}

/** Moves a studio and removes what it leaves behind. */
export async function moveAndFinish(
  from: Cell,
  to: Cell,
  id: string,
  options: Partial<MoveOptions> = {},
): Promise<Moved> {
  const moved = await move(from, to, id, options)
  await finishMove(from, to, id)
  return moved
}

export const move = (from: Cell, to: Cell, id: string, options: Partial<MoveOptions> = {}): Promise<Moved> =>
  moveStudio(from, to, id, { address: '', stopAtMost: 30, report: () => undefined, ...options })

export const abort = (from: Cell, to: Cell, id: string): Promise<boolean> => abortMove(from, to, id)

/** Moves a studio in a process that is killed right after a step. */
export async function moveAndDie(from: Cell, to: Cell, id: string, step: MoveStep): Promise<void> {
  const plain = ({ name, url }: Cell) => ({ name, url })
  const script = join(import.meta.dirname, 'move-and-die.ts')
  const child = spawn(process.execPath, [script, JSON.stringify({ from: plain(from), to: plain(to), id, step })], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [status, signal] = await once(child, 'exit')
  if (signal !== 'SIGKILL') throw new Error(`the move ended with ${status} before it was ${step}`)
}

/** What moves have left behind in a cell: slots, publications, subscriptions, logins and rows of the studio. */
export async function leftBehind({ url }: Cell, studioId: string): Promise<string[]> {
  return withClient(url, async (admin) => {
    const { rows } = await admin.query<{ name: string }>(
      `select 'slot ' || slot_name as name from pg_replication_slots
       union all select 'publication ' || pubname from pg_publication
       union all select 'subscription ' || subname from pg_subscription
       union all select 'login ' || rolname from pg_roles where rolname like 'studio\\_moving%'
       union all select 'item' from app.items where studio_id = $1
       union all select 'token' from access.tokens where studio_id = $1
       union all select 'mark' from access.move_marks`,
      [studioId],
    )
    return [...new Set(rows.map(({ name }) => name))]
  })
}
