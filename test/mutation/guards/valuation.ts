import { altered, type Mutation } from '../mutation.ts'

const functionOf = (name: string) => `pg_get_functiondef('${name}'::regproc)`
const replace = (name: string, from: string, to: string) => altered(functionOf(name), from, to)

const ofClosing = ['test/sql/valuation/closing.test.ts', 'test/sql/valuation/closed.test.ts']
const ofDays = ['test/sql/api_v1/items_on.test.ts']
const ofIsolation = ['test/isolation/forged-settings.test.ts', 'test/isolation/no-context.test.ts']
const ofAudit = ['test/isolation/audit.test.ts']

/** What was said stays said, is seen by its studio alone, and is right for every day. */
export const valuation: readonly Mutation[] = [
  ...['closings', 'closed_values', 'market_value_history'].flatMap((table) => [
    { name: `let rows of ${table} change`, tests: ofClosing, sql: `drop trigger append_only on app.${table}` },
    { name: `let ${table} be emptied`, tests: ofClosing, sql: `drop trigger append_only_truncate on app.${table}` },
    {
      name: `let row-level security of ${table} not bind the owner`,
      // No exposed role has a grant on former market values; the comparison with what is installed sees them all the same.
      tests: [...ofAudit, 'test/gates/audit.test.ts'],
      sql: `alter table app.${table} no force row level security`,
    },
  ]),
  {
    name: 'let closed values leave while there is the studio',
    tests: ofClosing,
    sql: replace('app.keep', 'and not exists (', 'and exists ('),
  },
  {
    name: 'show closed values of every studio',
    tests: ofIsolation,
    sql: `alter policy "A studio's closed values are seen and written by that studio alone" on app.closed_values
        using (true);
      alter policy "A studio's closings are seen and written by that studio alone" on app.closings using (true)`,
  },
  {
    name: 'show closings of every studio',
    tests: ofAudit,
    sql: `alter policy "A studio's closings are seen and written by that studio alone" on app.closings using (true)`,
  },
  {
    name: 'show former market values of every studio',
    tests: ofAudit,
    sql: `alter policy "A studio's former market values are seen and written by it alone" on app.market_value_history
      using (true)`,
  },
  {
    name: 'let a view of valuation read with its owner’s rights',
    tests: ofAudit,
    sql: 'alter view api_v1.corrections set (security_invoker = false)',
  },
  {
    name: 'value the inventory of whatever studio there is',
    tests: ofDays,
    sql: `${replace('valuation.inventory', 's.id = ( SELECT access.current_studio_id() AS current_studio_id)', 'true')}
      alter policy "A studio's items are seen and written by that studio alone" on app.items using (true)`,
  },
  {
    name: 'show analysts the inventory of whatever studio on a day',
    tests: ['test/isolation/forged-settings.test.ts'],
    // By their logins alone: closing months writes down what it reads, and refuses a stranger's row.
    sql: `${replace(
      'valuation.inventory',
      's.id = ( SELECT access.current_studio_id() AS current_studio_id)',
      `(s.id = access.current_studio_id() or session_user ~ '_analyst_')`,
    )}
      alter policy "A studio's items are seen and written by that studio alone" on app.items
        using (studio_id = access.current_studio_id()
          or (session_user ~ '_analyst_' and pg_has_role(current_user, 'studio_owner', 'usage')))`,
  },
  {
    name: 'leave the session of the studio that was closed open',
    tests: ofClosing,
    sql: replace(
      'valuation.close_month',
      `access.enter_studio(nullif(outer_studio, '')::uuid)`,
      'access.studio_today(null)',
    ),
  },
  {
    name: 'close a studio that another session closes',
    tests: ofClosing,
    sql: replace(
      'valuation.close_month',
      'or not pg_catalog.pg_try_advisory_xact_lock',
      'or null = pg_catalog.pg_try_advisory_xact_lock',
    ),
  },
  {
    name: 'value a day at its beginning',
    tests: ofDays,
    sql: replace('valuation.value_items', '(value_items.day + 1)', 'value_items.day'),
  },
  {
    name: 'know market values before their day',
    tests: ofDays,
    sql: replace('valuation.value_items', 'AND (h.day <= value_items.day)', ''),
  },
  {
    name: 'give all items when one is asked for',
    tests: ofDays,
    sql: replace('api_v1.items_on', 'items_on.item_id', 'null'),
  },
  {
    name: 'write down a market value that has not changed',
    tests: ['test/sql/app/market_values.test.ts'],
    sql: replace('app.record_market_values', 'where not exists (', 'where true or not exists ('),
  },
  {
    name: 'forget what a market value was before its date was corrected',
    tests: ['test/sql/app/market_values.test.ts'],
    sql: replace('app.record_market_values', 'and last.day <= least((c.as_of at time zone zone)::date, today)', ''),
  },
  {
    name: 'leave items out of a year once their useful life is over',
    tests: ['test/sql/valuation/schedule.test.ts'],
    sql: replace('valuation.depreciation_years', 'COALESCE(sum(v.last_value) OVER past, (0)::numeric)', '0'),
  },
]
