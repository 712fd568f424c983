import { altered, type Sabotage } from '../sabotage.ts'

const currentStudio = `pg_get_functiondef('access.current_studio_id'::regproc)`

export const audit: readonly Sabotage[] = [
  {
    name: 'let a rule of the audit find nothing',
    tests: ['test/audit/rules.test.ts'],
    sql: altered(
      `pg_get_viewdef('audit.wrong_owner'::regclass)`,
      `(r.rolname <> 'studio_owner'::name)`,
      'false',
      'create or replace view audit.wrong_owner with (security_invoker = true) as ',
    ),
  },
  {
    name: 'leave a rule out of the findings',
    tests: ['test/audit/rules.test.ts'],
    sql: altered(
      `pg_get_viewdef('audit.findings'::regclass)`,
      'FROM audit.login_without_limits',
      'FROM audit.usage_on_app login_without_limits',
      'create or replace view audit.findings with (security_invoker = true) as ',
    ),
  },
  {
    name: 'end the audit with status 0 whatever it finds',
    tests: ['test/cli/audit.test.ts'],
    patch: { file: 'src/cli/audit.ts', from: 'if (!sound) process.exitCode = 1', to: '' },
  },
  {
    name: 'take whatever an attempt of the proof answers for a refusal',
    tests: ['test/cli/audit.test.ts'],
    patch: {
      file: 'src/audit/prove.ts',
      from: `if (expected === 'empty' && rows === 0)`,
      to: `if (expected === 'empty' || rows === 0)`,
    },
  },
  {
    name: 'let an analyst be a studio by naming it, under the proof',
    tests: ['test/cli/audit.test.ts'],
    sql: altered(currentStudio, `if session_user in (`, `if true or session_user in (`),
  },
  {
    name: 'keep what an attempt of the proof did',
    tests: ['test/cli/audit.test.ts'],
    patch: { file: 'src/audit/prove.ts', from: `await client.query('rollback')`, to: `await client.query('commit')` },
  },
  {
    name: 'grant a role a column that the matrix does not have',
    tests: ['test/gates/matrix.test.ts'],
    sql: 'grant select (external_key) on app.items to studio_graphql',
  },
]
