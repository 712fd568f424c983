import { altered, type Mutation } from '../mutation.ts'

export const console: readonly Mutation[] = [
  {
    name: 'let members download the report of their studio',
    tests: ['test/processes/console-report.test.ts', 'test/console/import.test.ts'],
    patch: {
      file: 'src/apps/console/context.ts',
      from: 'if (!studio.mayManage) throw',
      to: 'if (studio.mayManage === null) throw',
    },
  },
  {
    name: 'let members of a studio store files to be imported',
    tests: ['test/sql/console/uploads.test.ts'],
    sql: altered(
      `pg_get_functiondef('console.administrator'::regproc)`,
      `elsif role not in ('owner', 'admin') then`,
      'elsif false then',
    ),
  },
  {
    name: 'let members of one studio import into another',
    tests: ['test/sql/console/uploads.test.ts'],
    sql: altered(
      `pg_get_functiondef('console.administrator'::regproc)`,
      'm.studio_id = administrator.studio_id and',
      '',
    ),
  },
  {
    name: 'read what somebody else uploaded',
    tests: ['test/sql/console/uploads.test.ts', 'test/console/import.test.ts'],
    sql: altered(`pg_get_functiondef('console.read_upload'::regproc)`, 'and u.user_id = person', ''),
  },
  {
    name: 'import the same upload twice',
    tests: ['test/sql/console/uploads.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.record_import'::regproc)`,
      `raise exception 'this file was imported, replaced or has expired' using errcode = 'SI409';`,
      'null;',
    ),
  },
  {
    name: 'import an upload that another one has replaced',
    tests: ['test/console/import.test.ts', 'test/sql/console/uploads.test.ts'],
    sql: altered(`pg_get_functiondef('console.read_upload'::regproc)`, 'and u.digest = read_upload.digest', ''),
  },
  {
    name: 'receive files of any size in the console',
    tests: ['test/console/import.test.ts'],
    patch: {
      file: 'src/apps/console/import/upload.ts',
      from: "stream.on('limit', () => reject(tooLarge()))",
      to: "stream.on('limit', () => undefined)",
    },
  },
  {
    name: 'make any number of reports at once',
    tests: ['test/processes/console-report.test.ts'],
    patch: {
      file: 'src/apps/report/reports.ts',
      from: 'if (running.has(studioId)) throw',
      to: 'if (running.size < 0) throw',
    },
  },
  {
    name: 'let members of a studio do what its owners do',
    tests: ['test/console/who-may.test.ts', 'test/console/creating-tokens.test.ts'],
    sql: altered(
      `pg_get_functiondef('console.manager'::regproc)`,
      `if membership.role not in ('owner', 'admin') then`,
      'if false then',
    ),
  },
  {
    name: 'show the tokens of a studio to everybody who is signed in',
    tests: ['test/console/who-may.test.ts', 'test/sql/console/sessions.test.ts'],
    sql: altered(`pg_get_functiondef('console.membership'::regproc)`, 'and m.user_id = person', ''),
  },
  {
    name: 'show tokens where the public API is off',
    tests: ['test/console/who-may.test.ts', 'test/sql/console/sessions.test.ts'],
    sql: altered(`pg_get_functiondef('console.membership'::regproc)`, 'and s.public_api', ''),
  },
  {
    name: 'let a session of the console last for ever',
    tests: ['test/sql/console/sessions.test.ts'],
    sql: altered(`pg_get_functiondef('console.signed_in'::regproc)`, 'and s.expires_at > pg_catalog.now()', ''),
  },
  {
    name: 'list studios for a session that has expired',
    tests: ['test/console/sessions.test.ts', 'test/sql/console/sessions.test.ts'],
    sql: altered(
      `pg_get_functiondef('console.list_studios'::regproc)`,
      'and session.expires_at > pg_catalog.now()',
      '',
    ),
  },
  {
    name: 'let one ID token open two sessions',
    tests: ['test/console/code-flow-attacks.test.ts'],
    sql: altered(`pg_get_functiondef('console.use_once'::regproc)`, 'return found;', 'return true;'),
  },
  {
    name: 'show the members of a studio to its members',
    tests: ['test/sql/console/sessions.test.ts'],
    sql: altered(
      `pg_get_functiondef('console.list_members'::regproc)`,
      'console.administrator(',
      'console.membership(',
    ),
  },
  {
    name: 'show the plan of a studio to its members',
    tests: ['test/sql/console/sessions.test.ts'],
    sql: altered(`pg_get_functiondef('console.read_plan'::regproc)`, 'console.administrator(', 'console.membership('),
  },
  {
    name: 'show the audit log to members',
    tests: ['test/sql/console/sessions.test.ts'],
    sql: altered(
      `pg_get_functiondef('console.list_audit_log'::regproc)`,
      'console.administrator(',
      'console.membership(',
    ),
  },
  {
    name: 'show the activity of a token to other studios',
    tests: ['test/sql/console/sessions.test.ts'],
    sql: `do $do$ begin
      set local role studio_owner;
      create or replace function access.token_activity(studio_id uuid, token_id uuid)
      returns table (at timestamptz, endpoint text, status smallint, duration_ms real)
      language sql stable security definer set search_path = '' begin atomic
        select a.at, a.endpoint, a.status, a.duration_ms from access.request_activity a
        where a.token_id = token_activity.token_id;
      end;
      reset role;
    end $do$;`,
  },
  {
    name: 'keep a session that was signed out',
    tests: ['test/console/sessions.test.ts'],
    sql: `do $do$ begin
      set local role studio_owner;
      create or replace function console.sign_out(session_digest bytea) returns void
      language sql volatile security definer set search_path = '' return null::void;
      reset role;
    end $do$;`,
  },
  {
    name: 'revoke a token of any studio',
    tests: ['test/console/who-may.test.ts', 'test/sql/access/revoke_token.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.revoke_token'::regproc)`,
      'where t.studio_id = revoke_token.studio_id and t.id',
      'where t.id',
    ),
  },
  {
    name: 'show a new token as often as its cookie comes',
    tests: ['test/console/creating-tokens.test.ts'],
    sql: altered(`pg_get_functiondef('console.use_once'::regproc)`, 'return found;', 'return true;'),
  },
  {
    name: 'sign a visitor in as somebody of the demo from any page',
    tests: ['test/console/sign-in-demo.test.ts'],
    patch: {
      file: 'src/apps/console/sign-in.ts',
      from: 'if (!verified || !isFrom(context.origins, request)) throw forgedForm()',
      to: 'if (!verified) throw forgedForm()',
    },
  },
  {
    name: 'sign a visitor in as somebody of the demo without the CSRF token of the form',
    tests: ['test/console/sign-in-demo.test.ts'],
    patch: {
      file: 'src/apps/console/sign-in.ts',
      from: 'if (!verified || !isFrom(context.origins, request)) throw forgedForm()',
      to: 'if (!isFrom(context.origins, request)) throw forgedForm()',
    },
  },
  {
    name: 'take forms without their CSRF token',
    tests: ['test/console/pages.test.ts'],
    patch: {
      file: 'src/apps/console/console.ts',
      from: 'if (!verified || !isFrom',
      to: 'if (!isFrom',
    },
  },
  {
    name: 'take forms from anywhere',
    tests: ['test/console/pages.test.ts'],
    patch: {
      file: 'src/apps/console/console.ts',
      from: 'if (!verified || !isFrom(origins, request))',
      to: 'if (!verified)',
    },
  },
  {
    name: 'show a new token to another session',
    tests: ['test/console/creating-tokens.test.ts'],
    patch: {
      file: 'src/apps/console/seal.ts',
      from: '          audience,\n',
      to: '',
    },
  },
  {
    name: 'keep what the form of another site says for the next session',
    tests: ['test/console/interrupted.test.ts'],
    patch: {
      file: 'src/apps/console/visit.ts',
      from: 'if (!reads && !own) return',
      to: '',
    },
  },
  {
    name: 'keep what was typed into a form without its CSRF token',
    tests: ['test/console/interrupted.test.ts'],
    patch: {
      file: 'src/apps/console/visit.ts',
      from: 'trusted: own && verified',
      to: 'trusted: own',
    },
  },
  {
    name: 'lead somebody who signed in into the studio of somebody else',
    tests: ['test/console/interrupted.test.ts'],
    patch: {
      file: 'src/apps/console/console.ts',
      from: 'person.studios.find(({ id }) => id === studioIdOf(kept))',
      to: 'person.studios[0]',
    },
  },
  {
    name: 'count no guesses of sessions',
    tests: ['test/console/sessions.test.ts'],
    patch: {
      file: 'src/apps/console/visit.ts',
      from: `const takeBack = await limitAttempts(limiter, 'session', address, unknownSessionsPerMinute)`,
      to: 'const takeBack = () => undefined',
    },
  },
  {
    name: 'ask the database before a guess of a session is counted',
    tests: ['test/console/sessions.test.ts'],
    patch: {
      file: 'src/apps/console/visit.ts',
      from: '    const address = addressKey(request.ip)\n',
      to: '    await store.person(session)\n    const address = addressKey(request.ip)\n',
    },
  },
]
