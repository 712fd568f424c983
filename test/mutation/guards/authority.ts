import { altered, type Guard, inFunction } from '../guard.ts'

/** What binds tokens, sessions, people and analysts to what they may do, and until when. */
export const authority: Guard[] = [
  [
    'skip the plan check',
    'rest/authority sql/access/open_session',
    altered(
      `pg_get_viewdef('access.recognised_tokens'::regclass)`,
      'WHEN (plan.tier IS NULL) THEN 403',
      'WHEN false THEN 403',
      'create or replace view access.recognised_tokens with (security_invoker = true) as ',
    ),
  ],
  [
    'run the data query before the rate limit',
    'rest/rate-limit',
    {
      file: 'src/api/handler.ts',
      from: '  const quota = await limiter.admit(',
      to: `  const early = readQuery(operation, null, splitTarget(request.url).query, options.cursors)
  await reading.read(operation, { digest: token.digest, address: null, id: null, ...early }, undefined)
  const quota = await limiter.admit(`,
    },
  ],
  [
    'open the session of a studio whose plan is refused',
    'sql/access/open_session',
    inFunction('access.open_session', 'elsif answer.status = 200 then', 'else'),
  ],
  [
    'send what is cached whatever its version',
    'rest/cached-answers api/read',
    { file: 'src/api/read.ts', from: ' && authenticated.version === known', to: '' },
  ],
  [
    'cache a token look-up',
    'rest/authority',
    {
      file: 'src/api/handler.ts',
      from: 'const { answer, isUnchanged } = await reading.read(operation, readRequest, version)',
      to: `const kept = (globalThis as unknown as { kept: Map<string, ReturnType<typeof reading.read>> })
  kept.kept ??= new Map()
  const name = operation.id + token.key + request.url
  const once = kept.kept.get(name) ?? reading.read(operation, readRequest, undefined)
  kept.kept.set(name, once)
  const { answer, isUnchanged } = await once`,
    },
  ],
  [
    'issue a token without asking for the role',
    'sql/access/issue_token',
    inFunction('access.issue_token', `and m.role in ('owner', 'admin')`, ''),
  ],
  ['let the audit log be changed', 'sql/access/audit_log', 'drop trigger append_only on access.audit_log'],
  [
    'issue a token without asking for the plan',
    'console/creating-tokens sql/access/issue_token',
    inFunction('access.issue_token', 'if plan is null then', 'if false then'),
  ],
  [
    'issue a token without asking whether the scope is a member',
    'console/creating-tokens sql/access/issue_token',
    inFunction('access.issue_token', 'if issue_token.scope_user_id is not null then', 'if false then'),
  ],
  [
    'revoke a token without asking for the role',
    'sql/access/issue_token',
    inFunction('access.revoke_token', `and m.role in ('owner', 'admin')`, ''),
  ],
  [
    'accept a token after its end',
    'sql/access/open_session',
    altered(
      `pg_get_viewdef('access.recognised_tokens'::regclass)`,
      't.expires_at IS NULL',
      'true',
      'create or replace view access.recognised_tokens with (security_invoker = true) as ',
    ),
  ],
  [
    'accept a token from any address',
    'sql/access/open_session',
    inFunction('access.open_session', 't.addresses is null or', 'true or'),
  ],
  [
    'accept a token of a batch from any address',
    'sql/access/open_session',
    inFunction('access.authenticate_batch', 'r.addresses is null or', 'true or'),
  ],
  [
    'let the last owner go',
    'sql/access/members',
    inFunction('access.keep_an_owner', 'if not exists (', 'if false and not exists ('),
  ],
  [
    'let admins make and remove owners',
    'sql/access/members',
    inFunction('access.may_manage', 'elsif to_owner and', 'elsif false and'),
  ],
  [
    'let members manage members',
    'sql/access/members',
    inFunction('access.may_manage', `in ('owner', 'admin')`, `in ('owner', 'admin', 'member')`),
  ],
  [
    'leave the tokens of a removed member for when they come back',
    'sql/access/members',
    inFunction('access.dismiss_member', 'perform access.revoke_token(', 'perform num_nulls('),
  ],
  [
    'remove the rows of a studio that is in use',
    'cli/studio-removal',
    inFunction('access.remove_rows', 's.id = studio_id and s.removed_at is not null', 's.id = studio_id'),
  ],
  [
    "open an analyst's session whatever the plan",
    'graphql/isolation sql/access/open_analyst_session',
    inFunction('access.open_analyst_session', 'when access.entitled_plan(s) is null then 403', 'when false then 403'),
  ],
  [
    "open an analyst's login that has ended",
    'graphql/login-identity',
    inFunction('access.open_login_session', 'r.rolvaliduntil > pg_catalog.now()', 'true'),
  ],
  [
    'take an identity that was made for something else',
    'graphql/identity',
    {
      file: 'src/graphql/analyst-token.ts',
      from: '        audience,\n',
      to: '',
    },
  ],
  [
    "open an analyst's session to any user who is named",
    'graphql/isolation sql/access/open_analyst_session',
    inFunction('access.open_analyst_session', 'u.id = open_analyst_session.user_id', 'true'),
  ],
  [
    "open a studio that is not an analyst's login's",
    'graphql/login-identity',
    inFunction('access.open_login_session', 'l.studio_id = open_login_session.studio_id', 'true'),
  ],
  [
    'keep the mapping of a dropped login',
    'analysts/cutting',
    inFunction('access.unmap_analyst', 'delete from access.analyst_logins l where l.login = known;', ''),
  ],
  [
    'read what somebody else uploaded',
    'sql/console/uploads console/import',
    inFunction('console.read_upload', 'and u.user_id = person', ''),
  ],
  [
    'show the tokens of a studio to everybody who is signed in',
    'console/who-may sql/console/sessions',
    inFunction('console.membership', 'and m.user_id = person', ''),
  ],
  [
    'show a studio to everybody who is signed in to the console',
    'sql/access/open_member_session',
    inFunction('access.open_member_session', 'and m.user_id = person', ''),
  ],
  [
    'show an archived studio to its members',
    'sql/access/open_member_session',
    inFunction('access.open_member_session', 'and s.archived_at is null', ''),
  ],
  [
    'let a session of the console last for ever',
    'sql/console/sessions',
    inFunction('console.signed_in', 'and s.expires_at > pg_catalog.now()', ''),
  ],
  [
    'show the audit log to members',
    'sql/console/sessions',
    inFunction('console.list_audit_log', 'console.administrator(', 'console.membership('),
  ],
  [
    'revoke a token of any studio',
    'console/who-may',
    inFunction('access.revoke_token', 'where t.studio_id = revoke_token.studio_id and t.id', 'where t.id'),
  ],
  [
    'take forms without their CSRF token',
    'console/who-may',
    {
      file: 'src/console/console.ts',
      from: 'if (!verified || !isFrom',
      to: 'if (!isFrom',
    },
  ],
  [
    'believe an e-mail that nobody has verified',
    'id-tokens/id-token',
    { file: 'src/id-tokens/id-token.ts', from: 'return verified === true || (', to: 'return true || (' },
  ],
  [
    'take an ID token that was made for others',
    'id-tokens/id-token',
    { file: 'src/id-tokens/id-token.ts', from: '      audience,\n', to: '' },
  ],
  [
    'take ID tokens of any issuer',
    'id-tokens/id-token',
    { file: 'src/id-tokens/id-token.ts', from: '      issuer,\n', to: '' },
  ],
  [
    'find a user as the locale folds their e-mail',
    'sql/access/emails',
    inFunction(
      'access.find_user',
      `lower(u.email collate "C") = pg_catalog.lower(find_user.email collate "C")`,
      'lower(u.email) = pg_catalog.lower(find_user.email)',
    ),
  ],
]
