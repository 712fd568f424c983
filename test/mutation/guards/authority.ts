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
      file: 'src/api/serve.ts',
      from: '  const quota = await limiter.admit(',
      to: `  const early = readQuery(operation, splitTarget(request.url).query, options.cursors)
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
      file: 'src/api/serve.ts',
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
    'issue a token that the audit log does not know',
    'console/creating-tokens sql/access/issue_token',
    inFunction(
      'access.issue_token',
      `'token.issued', issued.issued_by, issued.id, issued.name, issued.prefix, issued.scope_user_id);`,
      `'token.issued', issued.issued_by, issued.id, issued.name, issued.prefix, issued.scope_user_id);
       alter table access.audit_log disable trigger user;
       delete from access.audit_log where token_id = issued.id;
       alter table access.audit_log enable trigger user;`,
    ),
  ],
  [
    'revoke a token without asking for the role',
    'console/who-may',
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
    'let the last two owners step down at once',
    'sql/access/members',
    inFunction('access.may_manage', 'for no key update', ''),
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
    'cli/studio-life',
    inFunction('access.remove_rows', 's.id = studio_id and s.removed_at is not null', 's.id = studio_id'),
  ],
  [
    'manage a studio that is being removed',
    'sql/access/removal',
    inFunction(
      'access.may_manage',
      'elsif exists (select from app.studios',
      'elsif false and exists (select from app.studios',
    ),
  ],
  [
    'begin two removals of a studio at once',
    'sql/access/removal',
    inFunction('access.begin_removal', 'for no key update', ''),
  ],
  [
    'remove the rows of a studio whose analysts can log in',
    'sql/access/removal',
    inFunction(
      'access.remove_rows',
      'if exists (select from access.analyst_logins',
      'if false and exists (select from access.analyst_logins',
    ),
  ],
  [
    'make logins of analysts for archived studios',
    'sql/access/removal',
    inFunction('access.create_analyst', 's.archived_at is not null', 'false'),
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
    "take an identity of before its login's rotation",
    'graphql/login-identity',
    inFunction('access.open_login_session', "g.event = 'rotated'", 'false'),
  ],
  [
    'take an identity that was made for something else',
    'graphql/identity',
    {
      file: 'src/apps/graphql/analyst-token.ts',
      from: '        audience,\n',
      to: '',
    },
  ],
]
