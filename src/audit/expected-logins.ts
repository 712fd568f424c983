import type { Facts, InventoryObject } from './inventory.ts'

/** Whether a value is as expected; undefined means that the fact is missing. */
type Expectation = (value: string | undefined) => boolean

const is =
  (expected: string): Expectation =>
  (value) =>
    value === expected
const atMost =
  (expected: string): Expectation =>
  (value) =>
    value === undefined || value === expected
const positive: Expectation = (value) => Number(value) > 0
const anything: Expectation = () => true

/** These are the settings that access.create_analyst makes. Four of them need a superuser, whom
 * managed servers do not have. */
const analyst: Record<string, Expectation> = {
  // Before PostgreSQL 16 every member may become its group.
  'member of studio_analyst': (value) => /^inherits(, may become it)?$/.test(value ?? ''),
  'logs in': anything,
  inherits: is('yes'),
  connections: positive,
  'valid until': (value) => value !== undefined,
  'valid for': anything,
  'setting search_path': is('api_v1'),
  'setting TimeZone': (value) => value !== undefined,
  'setting default_transaction_read_only': is('on'),
  'setting statement_timeout': positive,
  'setting idle_in_transaction_session_timeout': positive,
  'setting temp_file_limit': atMost('1GB'),
  'setting log_min_messages': atMost('fatal'),
  'setting log_min_error_statement': atMost('panic'),
  'setting compute_query_id': atMost('on'),
}

/** A DBA's login reads only the audit. */
const auditor: Record<string, Expectation> = {
  'member of studio_auditor': (value) => value !== undefined && !value.includes('let others in'),
  'logs in': anything,
  inherits: anything,
  connections: anything,
  'valid until': anything,
  'valid for': anything,
}

/** The proof makes this login itself. It sees no studio and ends within minutes. */
const temporary: Record<string, Expectation> = {
  'logs in': is('yes'),
  inherits: anything,
  connections: positive,
  'valid until': anything,
  'valid for': (value) => value !== undefined && Number(value) <= 900,
  'setting statement_timeout': is('5min'),
  'setting temp_file_limit': atMost('1GB'),
}

/** The unusual aspects of an analyst's, a DBA's or a proof's login; undefined for other roles. */
export function deviationsOf(name: string, facts: Facts): string[] | undefined {
  const groups = Object.keys(facts).filter((aspect) => aspect.startsWith('member of '))
  const [group] = groups
  if (group === undefined || groups.length > 1) return undefined
  if (/^studio_passing_[0-9a-f]{12}$/.test(name)) {
    const expected = group === 'member of studio_analyst' ? analyst : auditor
    return deviations(facts, { ...temporary, [group]: expected[group] ?? (() => false) })
  }
  if (group === 'member of studio_analyst') {
    return [...(/^analyst_[0-9a-f]{12}$/.test(name) ? [] : ['name']), ...deviations(facts, analyst)]
  }
  return group === 'member of studio_auditor' ? deviations(facts, auditor) : undefined
}

function deviations(facts: Facts, expected: Record<string, Expectation>): string[] {
  const aspects = new Set([...Object.keys(facts), ...Object.keys(expected)])
  return [...aspects].filter((aspect) => !expected[aspect]?.(facts[aspect]))
}

/** Whether an analyst could have changed an aspect of its own login or group: default privileges,
 * and the settings that every login may set (`own`). */
export function analystsOwnChanges(
  things: readonly InventoryObject[],
  own: ReadonlySet<string>,
): (thing: InventoryObject, aspect?: string) => boolean {
  const analysts = new Set(
    things.flatMap(({ kind, object, facts }) => {
      const isMember = kind === 'role' && facts['member of studio_analyst'] !== undefined && !facts.superuser
      return isMember || (kind === 'role' && object === 'studio_analyst') ? [object] : []
    }),
  )
  return ({ kind, object }, aspect = '') => {
    if (kind === 'default privileges') return analysts.has(/^of (.+) for \S+( \S+)?$/.exec(object)?.[1] ?? '')
    const setting = /^setting (\S+)( in this database)?$/.exec(aspect)?.[1]
    return kind === 'role' && analysts.has(object) && setting !== undefined && own.has(setting)
  }
}
