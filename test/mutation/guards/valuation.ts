import { altered, type Mutation } from '../mutation.ts'

const functionOf = (name: string) => `pg_get_functiondef('${name}'::regproc)`
const replace = (name: string, from: string, to: string) => altered(functionOf(name), from, to)

const ofClosing = ['test/sql/valuation/closing.test.ts']
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
      tests: ofAudit,
      sql: `alter table app.${table} no force row level security`,
    },
  ]),
  {
    name: 'let closed values leave while there is the studio',
    tests: ofClosing,
    sql: replace('app.keep', 'not exists (select', 'exists (select'),
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
    tests: ofIsolation,
    sql: `${replace('valuation.inventory', 's.id = ( SELECT access.current_studio_id() AS current_studio_id)', 'true')}
      alter policy "A studio's items are seen and written by that studio alone" on app.items using (true)`,
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
    sql: replace('api_v1.items_on', 'items_on.day + 1', 'items_on.day'),
  },
  {
    name: 'know market values before their day',
    tests: ofDays,
    sql: replace('valuation.worked_out', 'AND (h.day <= worked_out.day)', ''),
  },
]
