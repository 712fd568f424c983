import type { Statement } from '../database/statement.ts'
import type { Position } from './cursors.ts'
import type { ListSource } from './operation.ts'
import type { Filter, Values } from './parameters.ts'

/** A request's values. Null: unknown address, no valid UUID in the path, no cursor. */
export type ReadRequest = {
  /** Of the token. */
  digest: Buffer
  address: string | null
  id: string | null
  values: Values
  position: Position | null
}

export type Prepared = { statement: Statement; values: unknown[] }

/** One statement opens the session of the token's studio and reads a page, its total and whether
 * more follow, in one snapshot. Each set of filters has its own text, because `$1 is null or …`
 * uses no index. Every sub-query depends on the session: otherwise it could run first, and
 * row-level security would hide all rows. */
export function listStatement(name: string, list: ListSource, request: ReadRequest): Prepared {
  const { values: given, position } = request
  const values: unknown[] = []
  const $ = (value: unknown, type: string) => `$${values.push(value)}::${type}`

  const session = `access.open_session(${$(request.digest, 'bytea')}, ${$(request.address, 'inet')})`
  const size = $(given.per_page, 'bigint')
  const filters = Object.entries(list.filters).filter(([filter]) => given[filter] !== null)
  const placeholders = new Map(filters.map(([filter]) => [filter, `$${values.push(given[filter])}`]))
  const isSelective = filters.some(([, filter]) => filter.isSelective)
  const conditions = filters.map(([name, filter]) => {
    const { condition: written } = widened(filter, given) ?? filter
    const condition = written.replaceAll('$', () => placeholders.get(name) ?? '')
    // The comparison with true keeps PostgreSQL from using an index.
    return isSelective && !filter.isSelective ? `(${condition}) is true` : condition
  })
  const since = given.updated_since === null ? undefined : $(given.updated_since, 'timestamptz')
  if (since !== undefined) conditions.push(`r.${list.changedAt} >= ${since}`)
  const within = list.within && { ...list.within, id: $(request.id, 'uuid') }
  if (within) conditions.unshift(`r.${within.column} = ${within.id}`)
  const matching = `from ${list.view} r where ${['s.status = 200', ...conditions].join(' and ')}`
  // A poll leaves out rows after the watermark: an older one may still become visible.
  const isTooNew = since && `exists (select ${matching} and r.${list.changedAt} >= s.watermark)`
  const listed = since === undefined ? matching : `${matching} and r.${list.changedAt} < s.until`
  const key = `r.${list.orderBy}, r.id`
  const order = `order by r.${list.orderBy} desc, r.id desc`
  // Counts in the list's order, to read its index.
  const rows = `${listed} ${order}`

  const start = position !== null ? 'cursor' : Number(given.page) > 1 ? 'page' : 'first'
  const skipped = start === 'page' ? $((Number(given.page) - 1) * Number(given.per_page), 'bigint') : '0'
  const after = {
    first: '',
    cursor: position && `and (${key}) < (${$(position.at, list.orderType)}, ${$(position.id, 'uuid')})`,
    page: `and (${key}) < (f.at, f.id)`,
  }[start]
  // The index alone finds the key before a deep page.
  const keyBefore = `left join lateral (
    select r.${list.orderBy} as at, r.id ${listed} and t.total > ${skipped} ${order} offset ${skipped} - 1 limit 1
  ) as f on true`

  // The scan reads only the index. The documents follow, of the page alone.
  const isScanned = !isSelective && filters.some(([, filter]) => filter.isScanned || widened(filter, given))
  const pageOf = (columns: string) =>
    `select ${columns} ${listed} and t.total > ${skipped} ${after} ${order} limit ${size} + 1`
  const page = isScanned
    ? `select d.document, k.at, k.id from (${pageOf(`r.${list.orderBy} as at, r.id`)}) as k join ${list.view} d on d.id = k.id
      order by k.at desc, k.id desc`
    : pageOf(`r.document, r.${list.orderBy} as at, r.id`)

  const text = `select
  ${statusOf(list, since, within)} as status, s.token_id, s.studio_id, s.plan_tier, s.watermark,
  ${isTooNew === undefined ? 's.version' : `case when not ${isTooNew} then s.version end`} as version,
  t.total, coalesce(array_to_string(p.documents[:${size}], ','), '') as data,
  coalesce(cardinality(p.ids) > ${size}, false) as has_more,
  p.moments[least(cardinality(p.ids), ${size})] as last_at, p.ids[least(cardinality(p.ids), ${size})] as last_id
from (select o.*, coalesce(o.watermark, 'infinity') as until from ${session} as o offset 0) as s
left join lateral (${since === undefined ? totalOf(list, placeholders, rows) : counted(rows)}) as t on true
${start === 'page' ? keyBefore : ''}
left join lateral (
  select array_agg(q.document) as documents, array_agg(q.at) as moments, array_agg(q.id) as ids
  from (${page}) as q
) as p on true`
  const shape = Object.entries(list.filters).map(([name, filter]) =>
    placeholders.has(name) ? (widened(filter, given) ? 2 : 1) : 0,
  )
  return { statement: { name, text, variant: `/${shape.join('')}${since ? 's' : ''}/${start}` }, values }
}

const widened = ({ widenedBy }: Filter, given: Values) =>
  widenedBy && given[widenedBy.parameter] === 'true' ? widenedBy : undefined

function statusOf(
  { completeSince }: ListSource,
  since: string | undefined,
  within: { view: string; id: string } | undefined,
): string {
  const found = within && `not exists (select from ${within.view} w where w.id = ${within.id}) then 404`
  const expired = since && completeSince && `${since} < ${completeSince} then 410`
  const failure = found ?? expired
  return failure ? `case when s.status = 200 and ${failure} else s.status end` : 's.status'
}

/** The counters have the totals of some filters; otherwise count the rows. */
function totalOf({ counters }: ListSource, placeholders: ReadonlyMap<string, string>, rows: string): string {
  if (counters === undefined || ![...placeholders.keys()].every((filter) => counters.by.includes(filter)))
    return counted(rows)
  const cells = counters.by.map((column) => {
    const placeholder = placeholders.get(column)
    return placeholder === undefined ? `c.${column} = '*'` : `c.${column} = ${placeholder} and c.${column} <> '*'`
  })
  return `select coalesce(sum(c.${counters.sum}), 0)::bigint as total from ${counters.view} c
    where ${['s.status = 200', ...cells].join(' and ')}`
}

const counted = (rows: string) => `select count(*) as total from (select ${rows}) as counted`
