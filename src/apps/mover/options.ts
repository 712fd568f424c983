/** Steps of a move, in their order; each is reported when it is done. */
export type MoveStep =
  | 'recorded'
  | 'subscribed'
  | 'copied'
  | 'stopped'
  | 'caught up'
  | 'compared'
  | 'switching'
  | 'landed'
  | 'left'
  | 'active'
  | 'cleaned up'

export type MoveOptions = {
  /** libpq keywords by which the target reaches the source, besides or instead of those of this program; '' for none. */
  address: string
  /** How long writes may be stopped while the target catches up, in seconds. */
  stopAtMost: number
  /** What happens, for people. */
  report(line: string): void
  /** What is done, for programs. */
  done?(step: MoveStep): void
}
