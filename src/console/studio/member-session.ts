import type { Session } from '../../api/list-statement.ts'
import type { Transaction } from '../../database/client.ts'
import type { Pool } from '../../database/pool.ts'
import { withoutValues } from '../../database/statement.ts'
import { plannerDefaults } from '../../report/schedule.ts'

/** A member's read-only transaction on one snapshot of a studio. */
export type MemberReading = Transaction & {
  /** Opens it, for the statement of a list. */
  session: Session
  /** Today on the studio's calendar, `YYYY-MM-DD`. */
  today: string
  /** The version of the studio's data. Two readings with one version have the same result. */
  version: string
  /** Runs a statement that reads all items. Its joins read each table once, not row by row. */
  queryWhole: Transaction['query']
}

const settings = Object.entries(plannerDefaults)
  .map(([name, value]) => `set local ${name} = '${value}'`)
  .join('; ')

/** Lends a connection to a member who is signed in to the console.
 * `access.open_member_session` checks session and membership and opens the studio's session.
 * @param pool of studio_api
 * @param session digest of the console session's secret
 * @throws StatementFailed SI401 when nobody is signed in, SI404 when the studio is not the
 * person's; DatabaseUnavailable; ShareExceeded; what `work` throws */
export function asMember<Result>(
  pool: Pool,
  session: Buffer,
  studioId: string,
  work: (reading: MemberReading) => Promise<Result>,
): Promise<Result> {
  const opening: Session = { opens: 'access.open_member_session($1::bytea, $2::uuid)', values: [session, studioId] }
  const inTurn = async () => {
    const client = await pool.connect().catch((error: unknown) => {
      throw withoutValues('console_studio', error)
    })
    const query = async <Row extends object>(text: string, values: readonly unknown[] = []) => {
      try {
        return (await client.query<Row>({ text, values: [...values] })).rows
      } catch (error) {
        throw withoutValues('console_studio', error)
      }
    }
    let broken = true
    try {
      await query('begin transaction isolation level repeatable read read only')
      await query(settings)
      const [opened] = await query<Pick<MemberReading, 'today' | 'version'>>(
        `select access.current_studio_today() as today, version from ${opening.opens}`,
        opening.values,
      )
      if (opened === undefined) throw new Error('access.open_member_session returned no row')
      const queryWhole: Transaction['query'] = async (text, values) => {
        await query(`set local enable_nestloop = off; set local work_mem = '32MB'`)
        const rows = await query<never>(text, values)
        await query('set local enable_nestloop = on; reset work_mem')
        return rows
      }
      const result = await work({ query, queryWhole, session: opening, ...opened })
      await query('commit')
      broken = false
      return result
    } catch (error) {
      // The rollback ends the transaction. If it fails, the pool closes the connection.
      broken = await client.query('rollback').then(
        () => false,
        () => true,
      )
      throw error
    } finally {
      client.release(broken)
    }
  }
  return pool.inShare(studioId, () => pool.instrumented('console_studio', inTurn))
}
