import { altered, type Mutation } from '../mutation.ts'

const replace = (name: string, from: string, to: string) => altered(`pg_get_functiondef('${name}'::regproc)`, from, to)

const ofMembers = ['test/sql/access/members.test.ts']
const ofSessions = ['test/sql/access/open_session.test.ts']

/** Tokens end and work from their addresses alone; a studio keeps an owner; locations make no cycle. */
export const people: readonly Mutation[] = [
  {
    name: 'accept a token after its end',
    tests: ofSessions,
    sql: altered(
      `pg_get_viewdef('access.recognised_tokens'::regclass)`,
      't.expires_at IS NULL',
      'true',
      'create or replace view access.recognised_tokens with (security_invoker = true) as ',
    ),
  },
  {
    name: 'accept a token from any address',
    tests: ofSessions,
    sql: replace('access.open_session', 't.addresses is null or', 'true or'),
  },
  {
    name: 'accept a token of a batch from any address',
    tests: ofSessions,
    sql: replace('access.authenticate_batch', 'r.addresses is null or', 'true or'),
  },
  {
    name: 'let a token share an authentication with another address',
    tests: ['test/api/authentication.test.ts'],
    patch: { file: 'src/api/authentication.ts', from: "('latin1') + address", to: "('latin1')" },
  },
  {
    name: 'count requests from addresses that a token refuses as those of the token',
    tests: ['test/rest/token-limits.test.ts'],
    patch: {
      file: 'src/auth/limiter.ts',
      from: 'known?.addresses.has(address) ? known.token : undefined',
      to: 'address ? known?.token : undefined',
    },
  },
  {
    name: 'let the last owner go',
    tests: ofMembers,
    sql: replace('access.keep_an_owner', 'if not exists (', 'if false and not exists ('),
  },
  {
    name: 'let the last two owners step down at once',
    tests: ofMembers,
    sql: replace('access.may_manage', 'for no key update', ''),
  },
  {
    name: 'let admins make and remove owners',
    tests: ofMembers,
    sql: replace('access.may_manage', 'elsif to_owner and', 'elsif false and'),
  },
  {
    name: 'let members manage members',
    tests: ofMembers,
    sql: replace('access.may_manage', `in ('owner', 'admin')`, `in ('owner', 'admin', 'member')`),
  },
  {
    name: 'leave the tokens of a removed member for when they come back',
    tests: ofMembers,
    sql: replace('access.dismiss_member', 'perform access.revoke_token(', 'perform num_nulls('),
  },
  {
    name: 'let a location be inside itself',
    tests: ['test/sql/app/location_cycles.test.ts'],
    sql: replace('app.refuse_cycle', 'while starts is not null loop', 'while false loop'),
  },
  {
    name: 'look for cycles of locations without locking them',
    tests: ['test/sql/app/location_cycles.test.ts'],
    sql: replace('app.refuse_cycle', 'order by l.id for share', 'order by l.id'),
  },
  {
    name: 'remove the rows of a studio that is in use',
    tests: ['test/cli/studio-life.test.ts'],
    sql: replace('access.remove_rows', 's.id = studio_id and s.removed_at is not null', 's.id = studio_id'),
  },
]
