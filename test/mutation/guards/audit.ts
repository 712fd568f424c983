import { altered, type Mutation } from '../mutation.ts'

const currentStudio = `pg_get_functiondef('access.current_studio_id'::regproc)`

export const audit: readonly Mutation[] = [
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
    name: 'take what no release installed for sound',
    tests: ['test/audit/comparison.test.ts'],
    patch: {
      file: 'src/apps/audit/compare.ts',
      from: `const installed = expected[name]`,
      to: `const installed = expected[name] ?? shortened(facts)`,
    },
  },
  {
    name: 'leave the privileges of what is installed out of the comparison',
    tests: ['test/audit/comparison.test.ts'],
    patch: {
      file: 'src/apps/audit/compare.ts',
      from: `if (value === wanted) return []`,
      to: `if (value === wanted || aspect.startsWith('privileges')) return []`,
    },
  },
  {
    name: 'take what comes with the server on trust',
    tests: ['test/audit/comparison.test.ts'],
    patch: { file: 'src/apps/audit/compare.ts', from: `if (pristine === undefined) return []`, to: 'return []' },
  },
  {
    name: 'let any login of the analysts pass, however it was made',
    tests: ['test/audit/comparison.test.ts'],
    patch: {
      file: 'src/apps/audit/compare.ts',
      from: `if (deviations?.length === 0) return []`,
      to: `if (deviations) return []`,
    },
  },
  {
    name: 'leave an analyst’s mapping uncompared with its log',
    tests: ['test/audit/rules.test.ts'],
    sql: altered(`pg_get_functiondef('access.misdirected_analysts'::regproc)`, 'g.studio_id <> l.studio_id', 'false'),
  },
  {
    name: 'end the audit with status 0 whatever it finds',
    tests: ['test/cli/audit-findings.test.ts'],
    patch: { file: 'src/cli/audit.ts', from: 'if (!sound) process.exitCode = 1', to: '' },
  },
  {
    name: 'take whatever an attempt of the proof answers for a refusal',
    tests: ['test/cli/audit-prove.test.ts'],
    patch: {
      file: 'src/apps/audit/prove.ts',
      from: `if (expected === 'empty' && rows === 0)`,
      to: `if (expected === 'empty' || rows === 0)`,
    },
  },
  {
    name: 'let an analyst be a studio by naming it, under the proof',
    tests: ['test/cli/audit-prove.test.ts'],
    sql: altered(currentStudio, `if session_user in (`, `if true or session_user in (`),
  },
  {
    name: 'keep what an attempt of the proof did',
    tests: ['test/cli/audit-prove.test.ts'],
    patch: {
      file: 'src/apps/audit/prove.ts',
      from: `await client.query('rollback')`,
      to: `await client.query('commit')`,
    },
  },
  {
    name: 'let the proof recognise no value of another studio',
    tests: ['test/audit-prove/holes.test.ts'],
    patch: { file: 'src/apps/audit/foreign/search.ts', from: 'found.add(value)', to: 'void value' },
  },
  {
    name: 'let the proof take every routine in pg_catalog for PostgreSQL’s own',
    tests: ['test/audit-prove/holes.test.ts'],
    patch: {
      file: 'src/apps/audit/foreign/routines.ts',
      from: 'where p.oid >= 16384::oid and',
      to: `where n.nspname not in ('pg_catalog', 'information_schema') and`,
    },
  },
  {
    name: 'let the proof take a call with null for an answer',
    tests: ['test/audit-prove/holes.test.ts'],
    patch: { file: 'src/apps/audit/foreign/routines.ts', from: 'list.every(isNull)', to: 'list.length < 0' },
  },
  {
    name: 'let the proof leave its analyst behind',
    tests: ['test/audit-prove/login.test.ts'],
    patch: { file: 'src/database/temporary-login.ts', from: 'await drop(adminUrl, [login])', to: '' },
  },
  {
    name: 'let the proof drop any role that is called a little like its own',
    tests: ['test/audit-prove/attacks.test.ts'],
    patch: { file: 'src/database/temporary-login.ts', from: '[0-9a-f]{12}$`', to: '`' },
  },
  {
    name: 'let the proof pass where there is nobody to be kept apart',
    tests: ['test/audit-prove/login.test.ts'],
    patch: { file: 'src/apps/audit/proof.ts', from: 'yield { reason: tooFew }', to: '' },
  },
  {
    name: 'query modified rules',
    tests: ['test/audit/comparison.test.ts'],
    patch: {
      file: 'src/apps/audit/asking.ts',
      from: 'if (others.length > 0) return',
      to: 'if (others.length < 0) return',
    },
  },
  {
    name: 'query modified views for the matrix',
    tests: ['test/audit/asking.test.ts'],
    patch: {
      file: 'src/apps/audit/as-installed.ts',
      from: 'if (objects.length > 0) throw',
      to: 'if (objects.length < 0) throw',
    },
  },
  {
    name: 'let the owner of the database choose what an administrator runs',
    tests: ['test/audit/asking.test.ts'],
    patch: {
      file: 'src/database/client.ts',
      from: `const safePath = 'search_path = pg_catalog, pg_temp'`,
      to: `const safePath = 'jit = off'`,
    },
  },
  {
    name: 'take what is in the catalog beside the server’s own for it',
    tests: ['test/audit/comparison.test.ts'],
    patch: { file: 'src/apps/audit/inventory.ts', from: 'await readOverloads(transaction)', to: '([] as string[])' },
  },
  {
    name: 'let a namesake of another kind hide what a table has',
    tests: ['test/audit/comparison.test.ts'],
    patch: { file: 'src/apps/audit/extensions.ts', from: 'wholes.includes(kind)', to: `(kind !== '')` },
  },
  {
    name: 'leave out what a session keeps although others may name it',
    tests: ['test/audit/comparison.test.ts'],
    patch: { file: 'src/apps/audit/inventory/names.sql', from: ' and n.nspacl is null', to: '' },
  },
  {
    name: 'accept an extension whatever it is by now',
    tests: ['test/audit/comparison.test.ts'],
    patch: {
      file: 'src/apps/audit/acceptance.ts',
      from: '(!pinned && objects.has(object))',
      to: 'objects.has(object)',
    },
  },
  {
    name: 'accept a role by the name of a rule',
    tests: ['test/audit/acceptance.test.ts'],
    patch: {
      file: 'src/apps/audit/acceptance.ts',
      from: 'words.has(rule)',
      to: 'words.has(rule) || words.has(object)',
    },
  },
  {
    name: 'stay ready while the audit cannot be run',
    tests: ['test/process/audit-watch.test.ts'],
    patch: { file: 'src/process/readiness.ts', from: 'if (failures >= maxFailures)', to: 'if (failures < 0)' },
  },
  {
    name: 'grant a role a column that the matrix does not have',
    tests: ['test/gates/matrix.test.ts'],
    sql: 'grant select (external_key) on app.items to studio_graphql',
  },
]
