import { altered, type Mutation } from '../mutation.ts'

const replace = (name: string, from: string, to: string) => altered(`pg_get_functiondef('${name}'::regproc)`, from, to)

const ofNames = ['test/isolation/names-of-people.test.ts']
const ofRemovals = ['test/sql/access/removal.test.ts']

/** A studio names its people itself; a removal is an owner's, final, and takes nothing from other studios. */
export const studios: readonly Mutation[] = [
  {
    name: 'name people in the audit log as other studios do',
    tests: ofNames,
    sql: replace('console.list_audit_log', 'concerned.studio_id = l.studio_id and', ''),
  },
  {
    name: 'name the issuers of tokens as other studios do',
    tests: ofNames,
    sql: replace('access.list_tokens', '(issuing.studio_id = t.studio_id)', 'true'),
  },
  {
    name: 'name members by what the first studio typed',
    tests: ofNames,
    sql: replace(
      'access.add_member',
      `coalesce(add_member.name, '')`,
      `coalesce((select m.name from access.members m where m.user_id = person limit 1), add_member.name, '')`,
    ),
  },
  {
    name: 'show an e-mail as another studio typed it',
    tests: ofNames,
    sql: replace('access.add_member', 'pg_catalog.lower(add_member.email collate "C")', 'add_member.email'),
  },
  {
    name: 'manage a studio that is being removed',
    tests: ofRemovals,
    sql: replace(
      'access.may_manage',
      'elsif exists (select from app.studios',
      'elsif false and exists (select from app.studios',
    ),
  },
  {
    name: 'give a studio that is being removed a plan',
    tests: ofRemovals,
    sql: replace('access.keep_archived', 'if new.archived_at is null and', 'if false and'),
  },
  {
    name: 'begin two removals of a studio at once',
    tests: ofRemovals,
    sql: replace('access.begin_removal', 'for no key update', ''),
  },
  {
    name: 'remove the rows of a studio whose analysts can log in',
    tests: ofRemovals,
    sql: replace(
      'access.remove_rows',
      'if exists (select from access.analyst_logins',
      'if false and exists (select from access.analyst_logins',
    ),
  },
  {
    name: 'make logins of analysts for archived studios',
    tests: ofRemovals,
    sql: replace('access.create_analyst', 's.archived_at is not null', 'false'),
  },
  {
    name: 'make a login of an analyst while the removal of the studio begins',
    tests: ofRemovals,
    sql: replace('access.create_analyst', 'for share', ''),
  },
  {
    name: 'forget somebody who joins another studio at the same moment',
    tests: ofRemovals,
    sql: replace('access.forget_people', 'continue when exists', 'continue when false and exists'),
  },
  {
    name: 'forget people whom the audit log of another studio names',
    tests: ofRemovals,
    sql: replace('access.forget_people', 'where n.id = u.id', 'where false'),
  },
  {
    name: 'leave a token without an issuer for when the issuer comes back',
    tests: ['test/sql/access/members.test.ts'],
    sql: replace(
      'access.dismiss_member',
      'and coalesce(t.scope_user_id, t.issued_by) = dismiss_member.user_id',
      'and coalesce(t.scope_user_id, t.issued_by) = dismiss_member.user_id and t.issued_by = dismiss_member.user_id',
    ),
  },
  {
    name: 'delete uploads before they expire',
    tests: ['test/process/uploads.test.ts'],
    sql: replace('access.purge_uploads', 'where u.expires_at < pg_catalog.now()', ''),
  },
  {
    name: 'change a plan while somebody else changes it',
    tests: ['test/cli/studio-life.test.ts'],
    patch: { file: 'src/cli/studio/subscription.ts', from: ' for no key update', to: '' },
  },
  {
    name: 'date tokens for GraphQL by the clock of the command',
    tests: ['test/cli/analyst-token.test.ts'],
    patch: { file: 'src/cli/analyst/token.ts', from: 'now: () => issuedAt', to: 'now: Date.now' },
  },
]
