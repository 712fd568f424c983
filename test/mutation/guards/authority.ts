import { guardsOf, inFile, inFunction } from '../guard.ts'

/** These guards limit what tokens, sessions, people and analysts may do, and until when. */
export const authority = guardsOf({
  'rest/authority sql/access/open_session': {
    'skip the plan check': 'view access.recognised_tokens: WHEN (plan.tier IS NULL) THEN 403 → WHEN false THEN 403',
  },
  'rest/rate-limit': {
    'run the data query before the rate limit': inFile(
      'src/api/handler.ts',
      '  const quota = await limiter.admit(',
      `  const early = readQuery(operation, null, splitTarget(request.url).query, options.cursors)
  await reading.read(operation, { digest: token.digest, address: null, id: null, ...early }, undefined)
  const quota = await limiter.admit(`,
    ),
  },
  'sql/access/open_session': {
    'open the session of a studio whose plan is refused': 'access.open_session: elsif answer.status = 200 then → else',
    'accept a token from any address': 'access.open_session: t.addresses is null or → true or',
    'accept a token of a batch from any address': 'access.authenticate_batch: r.addresses is null or → true or',
  },
  'rest/cached-answers': {
    'send what is cached whatever its version': 'src/api/read.ts:  && authenticated.version === knownVersion →',
  },
  'rest/authority': {
    'accept a token after its end': 'view access.recognised_tokens: t.expires_at IS NULL → true',
    'cache a token look-up': inFile(
      'src/api/handler.ts',
      'const { row, isUnchanged } = await reading.read(operation, asked, version)',
      `const kept = (globalThis as unknown as { kept: Map<string, ReturnType<typeof reading.read>> })
  kept.kept ??= new Map()
  const name = operation.id + token.key + request.url
  const once = kept.kept.get(name) ?? reading.read(operation, asked, undefined)
  kept.kept.set(name, once)
  const { row, isUnchanged } = await once`,
    ),
  },
  'sql/access/audit_log': {
    'let the audit log be changed': 'drop trigger append_only on access.audit_log',
  },
  'console/creating-tokens': {
    'issue a token without asking for the plan': 'access.issue_token: if plan is null then → if false then',
    'issue a token without asking whether the scope is a member':
      'access.issue_token: if issue_token.scope_user_id is not null then → if false then',
  },
  'sql/access/members': {
    'find a user as the locale folds their e-mail': inFunction(
      'access.find_user',
      `lower(u.email collate "C") = pg_catalog.lower(find_user.email collate "C")`,
      'lower(u.email) = pg_catalog.lower(find_user.email)',
    ),
    'let the last owner go': 'access.keep_an_owner: if not exists ( → if false and not exists (',
    'let members manage members': "access.may_manage: in ('owner', 'admin') → in ('owner', 'admin', 'member')",
  },
  'cli/member': {
    'leave the tokens of a removed member for when they come back':
      'access.dismiss_member: perform access.revoke_token( → perform num_nulls(',
  },
  'cli/studio-removal': {
    'remove the rows of a studio that is in use':
      'access.remove_rows: s.id = studio_id and s.removed_at is not null → s.id = studio_id',
  },
  'graphql/isolation': {
    "open an analyst's session whatever the plan":
      'access.open_analyst_session: when access.entitled_plan(s) is null then 403 → when false then 403',
    "open an analyst's session to any user who is named":
      'access.open_analyst_session: u.id = open_analyst_session.user_id → true',
  },
  'graphql/login-identity': {
    "open an analyst's login that has ended": 'access.open_login_session: r.rolvaliduntil > pg_catalog.now() → true',
    "open a studio that is not an analyst's login's":
      'access.open_login_session: l.studio_id = open_login_session.studio_id → true',
  },
  'graphql/identity': {
    'take an identity that was made for something else': 'src/graphql/analyst-token.ts:         audience,\n →',
  },
  'analysts/cutting': {
    'keep the mapping of a dropped login':
      'access.unmap_analyst: delete from access.analyst_logins l where l.login = known; →',
  },
  'analysts/places': {
    'let the analysts of one studio have any number of sessions':
      'access.watch_analysts: s.place > places.one_studio → false',
    "let analysts have all of the server's connections": 'access.watch_analysts: s.turn > places.all_studios → false',
  },
  'analysts/login': {
    'make logins of one studio for all connections':
      'access.create_analyst: taken + connections > places.all_studios → false',
    "let the server's log repeat what an analyst sends": "access.analyst_settings: 'fatal' → 'warning'",
  },
  'analysts/watchdog': {
    'let analysts write to the catalog': 'access.watch_analysts: when s.holds_id then → when false then',
    'let a login in that keeps writing': 'src/analysts/logins.ts: where l.writes >= 3 → where l.writes >= 30',
  },
  'analysts/record': {
    'record any number of statements of a login': 'access.record_statements: offset 1000 → offset 100000',
    'keep for ever what analysts asked':
      "access.purge_activity: s.last_at < pg_catalog.now() - interval '90 days' → false",
  },
  'faults/analysts': {
    'let notifications wait that nobody reads': 'access.watch_analysts: (s.is_deaf or → (false or',
    'let NOTIFY fill the disk of the embedded server': "src/embedded/server.ts: max_notify_queue_pages: '1024',  →",
    'reserve no connections for the service': "src/embedded/server.ts: reserved_connections: '20' →",
    'let a process of the embedded server take all memory': 'src/embedded/server.ts: ulimit -d → true',
    'let the log of the embedded server grow': 'src/embedded/server.ts: if (size < largestLog) return → return',
  },
  'pooler/analysts': {
    'let every login of the server in by the pooler of analysts': inFile(
      'docs/deployment/pgbouncer.analysts.sql',
      "and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')",
      '',
    ),
  },
  'sql/app/text_lengths': {
    'let a name have any length': 'alter table app.items drop constraint length_of_name',
  },
  'console/import': {
    'read what somebody else uploaded': 'console.read_upload: and u.user_id = person →',
  },
  'console/members': {
    'let admins make and remove owners': 'access.may_manage: elsif to_owner and → elsif false and',
  },
  'sql/console': {
    'let a session of the console last for ever': 'console.signed_in: and s.expires_at > pg_catalog.now() →',
    'show the audit log to members': 'console.list_audit_log: console.administrator( → console.membership(',
    'show a studio to everybody who is signed in to the console':
      'access.open_member_session: and m.user_id = person →',
    'show an archived studio to its members': 'access.open_member_session: and s.archived_at is null →',
  },
  'console/who-may': {
    'show the tokens of a studio to everybody who is signed in': 'console.membership: and m.user_id = person →',
    'issue a token without asking for the role': "access.issue_token: and m.role in ('owner', 'admin') →",
    'revoke a token without asking for the role': "access.revoke_token: and m.role in ('owner', 'admin') →",
    'revoke a token of any studio':
      'access.revoke_token: where t.studio_id = revoke_token.studio_id and t.id → where t.id',
    'take forms without their CSRF token': 'src/console/console.ts: if (!verified || !isFrom → if (!isFrom',
  },
  'id-tokens/id-token': {
    'believe an e-mail that nobody has verified':
      'src/id-tokens/id-token.ts: return verified === true || ( → return true || (',
    'take an ID token that was made for others': 'src/id-tokens/id-token.ts:       audience,\n →',
    'take ID tokens of any issuer': 'src/id-tokens/id-token.ts:       issuer,\n →',
  },
})
