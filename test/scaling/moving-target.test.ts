import { beforeAll, expect, test } from 'vitest'
import { inCell } from '../../src/apps/mover/cell.ts'
import { standbysBehind } from '../../src/apps/mover/standbys.ts'
import { withClient } from '../../src/database/client.ts'
import { closeAtEnd, endProcesses } from './processes.ts'
import { makeReplica, type Server, stopServer, urlOf } from './servers.ts'
import { makeTwoCells, move, moveAndFinish, type TwoCells } from './two-cells.ts'

/** A target with a standby, whose server keeps statistics of statements. */
endProcesses()
let cells: TwoCells
let standby: Server
beforeAll(async () => {
  cells = await makeTwoCells({ two: { own: ['shared_preload_libraries=pg_stat_statements'] } })
  standby = await makeReplica(cells.two.server)
  closeAtEnd(() => stopServer(standby, 'immediate').catch(() => undefined))
  await withClient(urlOf(cells.two.server), (admin) => admin.query('create extension pg_stat_statements'))
}, 300_000)

/** The process by which the standby receives the log. */
async function receiver(): Promise<number> {
  return withClient(urlOf(standby), async (admin) => {
    const pid = async () => (await admin.query('select pid from pg_stat_wal_receiver')).rows[0]?.pid
    await expect.poll(pid, { timeout: 30_000 }).toBeGreaterThan(0)
    return pid()
  })
}

const behind = () =>
  inCell(cells.two, async (two) => {
    const { rows } = await two.client.query('select pg_current_wal_flush_lsn()::text as lsn')
    return standbysBehind(two, rows[0].lsn)
  })

const statistics = (text: string) => withClient(urlOf(cells.two.server), (admin) => admin.query(text))

test('the passwords of a move are in no statistics of statements', async () => {
  await statistics('select pg_stat_statements_reset()')
  const lines: string[] = []
  await moveAndFinish(cells.one, cells.two, cells.studio.id, { report: (line) => lines.push(line) })
  expect(lines.filter((line) => line.includes('did not confirm'))).toEqual([])
  const kept = await statistics(
    `select query from pg_stat_statements where query ~* 'create subscription|create role|access.?..?tokens.? \\(|scram'`,
  )
  expect((await statistics('select from pg_stat_statements')).rowCount).toBeGreaterThan(0)
  expect(kept.rows).toEqual([])
  await moveAndFinish(cells.two, cells.one, cells.studio.id)
}, 300_000)

test('the studio leaves the source when every standby of the target has it; one that is stuck is named', async () => {
  await expect.poll(behind, { timeout: 30_000 }).toEqual([])
  const pid = await receiver()
  process.kill(pid, 'SIGSTOP')
  try {
    const lines: string[] = []
    await move(cells.one, cells.two, cells.studio.id, { report: (line) => lines.push(line) })
    const [line] = lines.filter((each) => each.includes('did not confirm'))
    expect(line).toMatch(/^two: standby walreceiver.* did not confirm the switch within 5 s/)
    expect(await behind()).toEqual([expect.stringMatching(/^standby walreceiver/)])
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await expect.poll(behind, { timeout: 30_000 }).toEqual([])
}, 300_000)
