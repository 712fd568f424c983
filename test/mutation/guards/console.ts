import { type Guard, inFunction } from '../guard.ts'

const idToken = 'src/identity/id-token.ts'
const provider = 'src/apps/console/identity/provider.ts'

/** Looks an e-mail up as the locale of the database folds case. */
const foldedByLocale = (name: string, argument: string) =>
  inFunction(
    name,
    `lower(u.email collate "C") = pg_catalog.lower(${argument} collate "C")`,
    `lower(u.email) = pg_catalog.lower(${argument})`,
  )

/** What a session of the console may do, and who may open one. */
export const console: Guard[] = [
  [
    'let members of a studio store files to be imported',
    'sql/console/uploads',
    inFunction('console.administrator', `elsif role not in ('owner', 'admin') then`, 'elsif false then'),
  ],
  [
    'let members of one studio import into another',
    'sql/console/uploads',
    inFunction('console.administrator', 'm.studio_id = administrator.studio_id and', ''),
  ],
  [
    'read what somebody else uploaded',
    'sql/console/uploads console/import',
    inFunction('console.read_upload', 'and u.user_id = person', ''),
  ],
  [
    'let members of a studio do what its owners do',
    'console/who-may console/creating-tokens',
    inFunction('console.manager', `if membership.role not in ('owner', 'admin') then`, 'if false then'),
  ],
  [
    'show the tokens of a studio to everybody who is signed in',
    'console/who-may sql/console/sessions',
    inFunction('console.membership', 'and m.user_id = person', ''),
  ],
  [
    'show tokens where the public API is off',
    'console/who-may sql/console/sessions',
    inFunction('console.membership', 'and s.public_api', ''),
  ],
  [
    'let a session of the console last for ever',
    'sql/console/sessions',
    inFunction('console.signed_in', 'and s.expires_at > pg_catalog.now()', ''),
  ],
  [
    'list studios for a session that has expired',
    'console/sessions sql/console/sessions',
    inFunction('console.list_studios', 'and session.expires_at > pg_catalog.now()', ''),
  ],
  [
    'let one ID token open two sessions',
    'console/code-flow-attacks',
    inFunction('console.use_once', 'return found;', 'return true;'),
  ],
  [
    'show the members of a studio to its members',
    'sql/console/sessions',
    inFunction('console.list_members', 'console.administrator(', 'console.membership('),
  ],
  [
    'show the plan of a studio to its members',
    'sql/console/sessions',
    inFunction('console.read_plan', 'console.administrator(', 'console.membership('),
  ],
  [
    'show the audit log to members',
    'sql/console/sessions',
    inFunction('console.list_audit_log', 'console.administrator(', 'console.membership('),
  ],
  [
    'show the activity of a token to other studios',
    'sql/console/sessions',
    `do $do$ begin
      set local role studio_owner;
      create or replace function access.token_activity(studio_id uuid, token_id uuid)
      returns table (at timestamptz, endpoint text, status smallint, duration_ms real)
      language sql stable security definer set search_path = '' begin atomic
        select a.at, a.endpoint, a.status, a.duration_ms from access.request_activity a
        where a.token_id = token_activity.token_id;
      end;
      reset role;
    end $do$;`,
  ],
  [
    'keep a session that was signed out',
    'console/sessions',
    `do $do$ begin
      set local role studio_owner;
      create or replace function console.sign_out(session_digest bytea) returns void
      language sql volatile security definer set search_path = '' return null::void;
      reset role;
    end $do$;`,
  ],
  [
    'revoke a token of any studio',
    'console/who-may',
    inFunction('access.revoke_token', 'where t.studio_id = revoke_token.studio_id and t.id', 'where t.id'),
  ],
  [
    'take forms without their CSRF token',
    'console/pages',
    {
      file: 'src/apps/console/console.ts',
      from: 'if (!verified || !isFrom',
      to: 'if (!isFrom',
    },
  ],
  [
    'take forms from anywhere',
    'console/pages',
    {
      file: 'src/apps/console/console.ts',
      from: 'if (!verified || !isFrom(origins, request))',
      to: 'if (!verified)',
    },
  ],
  [
    'believe an e-mail that nobody has verified',
    'identity/id-token',
    { file: idToken, from: 'return verified === true || (', to: 'return true || (' },
  ],
  [
    'take an ID token that was made for others',
    'identity/id-token',
    { file: idToken, from: '      audience,\n', to: '' },
  ],
  ['take ID tokens of any issuer', 'identity/id-token', { file: idToken, from: '      issuer,\n', to: '' }],
  [
    'take signatures by a shared secret',
    'console/sign-in-refused',
    { file: idToken, from: '      algorithms,\n', to: '' },
  ],
  [
    'take an ID token of any age',
    'identity/id-token',
    { file: idToken, from: '      maxTokenAge: oldestSeconds,\n', to: '' },
  ],
  [
    'find a user as the locale folds their e-mail',
    'sql/access/emails',
    foldedByLocale('access.find_user', 'find_user.email'),
  ],
  [
    'sign a user in as the locale folds their e-mail',
    'sql/access/emails',
    foldedByLocale('console.sign_in', 'sign_in.email'),
  ],
  [
    'let an analyst in as the locale folds their e-mail',
    'sql/access/emails',
    foldedByLocale('access.open_analyst_session', 'open_analyst_session.email'),
  ],
  [
    'take an ID token without the nonce of its sign-in',
    'console/sign-in-refused console/sign-in',
    { file: provider, from: '      expectedNonce: nonce,\n', to: '' },
  ],
  [
    'exchange a code without its PKCE verifier',
    'console/code-flow-attacks',
    { file: provider, from: '      pkceCodeVerifier: verifier,\n', to: '' },
  ],
  [
    'finish a sign-in that was begun at another provider',
    'console/code-flow-attacks',
    { file: 'src/apps/console/cookies.ts', from: 'begun.provider !== number', to: 'begun.provider < 0' },
  ],
  [
    "let an analyst's transaction write",
    'graphql/analyst-transaction',
    {
      file: 'src/apps/graphql/analyst-transaction.ts',
      from: 'isolation level repeatable read read only',
      to: 'isolation level repeatable read',
    },
  ],
  [
    'let the watchdog spare who turned the timeout off',
    'analysts/watchdog',
    inFunction('access.watch_analysts', 'when s.statement > s.statement_limit then', 'when false then'),
  ],
  [
    'make a login without a connection limit',
    'analysts/login analysts/crowd',
    inFunction('access.create_analyst', 'connection limit %s ', 'connection limit -%s '),
  ],
]
