import { altered, type Mutation } from '../mutation.ts'

export const tokens: readonly Mutation[] = [
  {
    name: 'refuse good tokens for what others guess from their address',
    tests: ['test/rest/guesses.test.ts', 'test/auth/limiter.test.ts'],
    patch: { file: 'src/auth/limiter.ts', from: 'wait > 0 && !(await isKnown())', to: 'wait > 0' },
  },
  {
    name: 'let every token through while an address guesses',
    tests: ['test/rest/guesses.test.ts'],
    patch: { file: 'src/auth/known-tokens.ts', from: 'return known.has(prefix)\n', to: 'return true\n' },
  },
  {
    name: 'charge a token for what is refused from other addresses',
    tests: ['test/rest/token-limits.test.ts'],
    patch: { file: 'src/api/operation-handler.ts', from: 'if (answer.status === 401) takeBack()', to: '' },
  },
  {
    name: 'count guesses after they were tried',
    tests: ['test/auth/limiter.test.ts', 'test/rest/guesses.test.ts'],
    patch: {
      file: 'src/auth/limiter.ts',
      from: 'const count = await failures.add(address)',
      to: `const count = { consumedPoints: 0, msBeforeNext: 60_000 }
      const takeBack = () => undefined
      setTimeout(() => void failures.add(address), 1_000)`,
    },
  },
  {
    name: 'tell guesses by revoked tokens too',
    tests: ['test/rest/guesses.test.ts'],
    sql: altered(`pg_get_functiondef('access.token_prefixes'::regproc)`, 't.revoked_at is null', 'true'),
  },
  {
    name: 'cache a token look-up',
    tests: ['test/rest/authority.test.ts'],
    patch: {
      file: 'src/api/operation-handler.ts',
      from: 'const answer = await reading.read(operation, asked)',
      to: `const kept = (globalThis as unknown as { kept: Map<string, Promise<Answer>> })
    kept.kept ??= new Map()
    const name = operation.id + token.key + request.url
    const once = kept.kept.get(name) ?? reading.read(operation, { ...asked, cached: {}, validator: null })
    kept.kept.set(name, once)
    const answer = await once`,
    },
  },
  {
    name: 'issue a token without asking for the role',
    tests: ['test/sql/access/issue_token.test.ts'],
    sql: altered(`pg_get_functiondef('access.issue_token'::regproc)`, `and m.role in ('owner', 'admin')`, ''),
  },
  {
    name: 'let the audit log be changed',
    tests: ['test/sql/access/audit_log.test.ts'],
    sql: 'drop trigger append_only on access.audit_log',
  },
  {
    name: 'issue a token without asking for the plan',
    tests: ['test/console/creating-tokens.test.ts', 'test/sql/access/issue_token.test.ts'],
    sql: altered(`pg_get_functiondef('access.issue_token'::regproc)`, 'if plan is null then', 'if false then'),
  },
  {
    name: 'issue a token without asking whether the scope is a member',
    tests: ['test/console/creating-tokens.test.ts', 'test/sql/access/issue_token.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.issue_token'::regproc)`,
      'if issue_token.scope_user_id is not null then',
      'if false then',
    ),
  },
  {
    name: 'issue a token that the audit log does not know',
    tests: ['test/console/creating-tokens.test.ts', 'test/sql/access/issue_token.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.issue_token'::regproc)`,
      `'token.issued', issued.issued_by, issued.id, issued.name, issued.prefix, issued.scope_user_id);`,
      `'token.issued', issued.issued_by, issued.id, issued.name, issued.prefix, issued.scope_user_id);
       alter table access.audit_log disable trigger user;
       delete from access.audit_log where token_id = issued.id;
       alter table access.audit_log enable trigger user;`,
    ),
  },
  {
    name: 'revoke a token without asking for the role',
    tests: ['test/console/who-may.test.ts', 'test/sql/access/revoke_token.test.ts'],
    sql: altered(`pg_get_functiondef('access.revoke_token'::regproc)`, `and m.role in ('owner', 'admin')`, ''),
  },
  {
    name: 'revoke a token again as if it were not',
    tests: ['test/console/revoking-tokens.test.ts', 'test/sql/access/revoke_token.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.revoke_token'::regproc)`,
      'if token.revoked_at is null then',
      'if true then',
    ),
  },
]
