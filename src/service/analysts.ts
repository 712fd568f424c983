import { admitsAnalysts, closingStatement, createLogin, dropLogin, otherDatabases } from '../analysts/logins.ts'
import type { Config } from '../config/config.ts'
import type { Analysts, Owner } from '../console/analysts.ts'
import type { AnalystLogin } from '../console/pages/analysts.ts'
import { utc } from '../database/client.ts'
import { type Database, userOf } from '../database/roles.ts'
import { asAdministrator, asOwner, enterStudio, type Transaction } from '../database/session.ts'
import { longestLoginDays, signAnalystToken } from '../graphql/analyst-token.ts'
import { retryConflicts } from '../migration/conflicts.ts'

/** Limits of a login from the console: connections, and seconds for each statement. */
const limits = { connections: 4, timeout: 60 }

/** The analysts' logins of the console's pages; undefined when the connection string of the
 * administrator has no login. */
export function analystsOf(config: Pick<Config, 'analystUrl'>, database: Database): Analysts | undefined {
  const { adminUrl, secretKey, embedded } = database
  if (userOf(adminUrl) === undefined) return undefined

  /** Writes the audit log with the rights of the tables' owner. @throws if the person is not an
   * owner now */
  async function record(transaction: Transaction, event: string, owner: Owner, login: string, member: string | null) {
    await transaction.query('set local role studio_owner')
    await enterStudio(transaction, owner.studioId)
    const written = await transaction.query(
      `insert into access.audit_log (studio_id, event, actor_user_id, member_user_id, detail)
       select m.studio_id, $3, m.user_id, $4, $5 from access.members m
       where m.studio_id = $1 and m.user_id = $2 and m.role = 'owner' returning id`,
      [owner.studioId, owner.userId, event, member, login],
    )
    if (written.length === 0) throw new Error('the person is no longer an owner of the studio')
  }

  return {
    list: (studioId) =>
      asOwner(adminUrl, async (transaction) => {
        await enterStudio(transaction, studioId)
        return transaction.query<AnalystLogin>(
          `select login::text, for_email as for, state, ${utc('created_at')} as "createdAt",
             ${utc('valid_until')} as "validUntil", sessions::int as sessions
           from access.list_analysts($1) where state <> 'dropped'`,
          [studioId],
        )
      }),

    create: (owner, { member, days }) =>
      retryConflicts(() =>
        asAdministrator(adminUrl, async (transaction) => {
          const wanted = { studioId: owner.studioId, userId: member, validDays: days, ...limits }
          const { login, url } = await createLogin(transaction, config.analystUrl ?? adminUrl, wanted)
          const others = embedded ? await otherDatabases(transaction, login) : []
          if (others.length > 0) await transaction.query(closingStatement(others))
          const [clock] = await transaction.query<{ now: number }>(
            'select (extract(epoch from clock_timestamp()::timestamptz(3)) * 1000)::float8 as now',
          )
          await record(transaction, 'analyst.created', owner, login, member)
          const identity = await signAnalystToken(
            secretKey,
            { studioId: owner.studioId, login },
            {
              lifeSeconds: Math.min(days, longestLoginDays) * 86_400 - 60,
              now: () => clock?.now ?? Date.now(),
            },
          )
          return { login, url: (await admitsAnalysts(transaction)) ? url : '', identity }
        }),
      ),

    async end(owner, login) {
      await asOwner(adminUrl, (transaction) => record(transaction, 'analyst.ended', owner, login, null))
      await dropLogin(adminUrl, login)
    },
  }
}
