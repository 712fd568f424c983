/** Tables of a studio's data that PostgreSQL replicates while the studio is in use. The primary key of each begins with studio_id. */
export const replicated = [
  'app.locations',
  'app.items',
  'app.item_photos',
  'app.market_values',
  'app.market_value_history',
  'app.item_valuations',
  'app.closings',
  'app.closed_values',
  'app.maintenance_records',
  'app.policies',
  'app.policy_assignments',
  'app.item_counts',
  'app.maintenance_counts',
  'app.data_versions',
  'app.removals',
] as const

/** A column that is not compared, and why. */
export const notCompared: Readonly<Record<string, readonly string[]>> = {
  // The target computes it from the row; the source may not have it yet, in rows that were not written since the column was added.
  'app.items': ['document'],
  'app.maintenance_records': ['document'],
}

/**
 * Tables that are copied at the switch, while nobody writes: without them no cell lets anybody in, so that the copy is unreachable
 * until then. `users` are the columns that name a user, who may have another id in the other cell.
 */
export const copiedAtSwitch: readonly { table: string; key: string; users: readonly string[] }[] = [
  { table: 'app.studios', key: 'id', users: [] },
  { table: 'access.subscriptions', key: 'studio_id', users: [] },
  { table: 'access.members', key: 'studio_id', users: ['user_id'] },
  { table: 'access.tokens', key: 'studio_id', users: ['issued_by', 'scope_user_id', 'revoked_by'] },
  {
    table: 'access.audit_log',
    key: 'studio_id',
    users: ['actor_user_id', 'member_user_id', 'scope_user_id'],
  },
]

/** Tables that are copied at the switch in ways of their own. */
export const copiedSpecially: Readonly<Record<string, string>> = {
  'access.users': 'shared by the studios of a cell: matched by e-mail, then by id',
  'access.analyst_logins': 'with the roles of the server that they name',
  'access.analyst_log': 'with ids of the target, which count all studios',
  'access.request_activity': 'written by readers, and so complete only when the source is read no more',
}

/** Tables that do not move, and why. */
export const notMoved: Readonly<Record<string, string>> = {
  'app.categories': 'the same in every cell: migrations alone write it',
  'app.count_changes': 'changes of open transactions, of which there are none while writes are stopped',
  'app.heartbeats': 'transactions of one cluster',
  'app.sync_state': 'of one database; what it says of removals goes along with access.studio_moves',
  'access.console_sessions': 'of one cell: a member of this studio alone signs in again',
  'access.console_assertions': 'expire by themselves, and are used where they were signed in with',
  'access.console_uploads': 'expire after an hour; the file is uploaded again',
  'access.studio_moves': 'what each cell knows of moves',
  'access.move_marks': 'replicated while a studio moves, and deleted with the end of the move',
}

/** The name of a table with its schema, quoted. */
export const quoted = (table: string): string => table.replace(/^(\w+)\.(\w+)$/, '"$1"."$2"')
