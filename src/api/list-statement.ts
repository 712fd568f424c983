import type { Statement } from '../database/statement.ts'
import type { Position } from './cursors.ts'
import type { ListSource, Order } from './operation.ts'
import type { Values } from './parameters.ts'

/** A call of a function that opens a studio's session and returns `access.operation_row`; `$1` and
 * following are its values. */
export type Session = { opens: string; values: readonly unknown[] }

/** Who asks for which page of a list. Null: no valid UUID in the path, no cursor. */
export type ListRequest = {
  session: Session
  id: string | null
  /** `order` names one of the list's orders. */
  values: Values
  position: Position | null
}

const newest: Order = { by: 'updated_at', direction: 'desc', key: 'timestamptz' }

export type Prepared = { statement: Statement; values: unknown[] }

/** One statement opens the session and reads a page, its total and whether more follow, in one
 * snapshot. Each set of filters has its own text, because `$1 is null or …` uses no index. Every
 * sub-query depends on the session: otherwise it could run first, and row-level security would
 * hide all rows. */
export function listStatement(name: string, list: ListSource, request: ListRequest): Prepared {
  const { session, values: given, position } = request
  const { changedAt = 'updated_at' } = list
  const values: unknown[] = [...session.values]
  const $ = (value: unknown, type: string) => `$${values.push(value)}::${type}`

  const size = $(given.per_page, 'bigint')
  const filters = filtersOf(list, given, (value) => `$${values.push(value)}`)
  const isSelective = filters.some((filter) => filter.isSelective)
  // The comparison with true keeps PostgreSQL from using an index.
  const conditions = filters.map((filter) =>
    isSelective && !filter.isSelective ? `(${filter.condition}) is true` : filter.condition,
  )
  const since = given.updated_since == null ? undefined : $(given.updated_since, 'timestamptz')
  if (since !== undefined) conditions.push(`r.${changedAt} >= ${since}`)
  const id = list.within && $(request.id, 'uuid')
  if (list.within) conditions.unshift(`r.${list.within.column} = ${id}`)

  const searched = filters.some(({ name }) => list.search?.by.includes(name)) && list.search?.view
  const day = list.view.includes('$') ? $(given.on, 'date') : undefined
  const source = (searched || list.view).replace('$', day ?? '')
  const where = (...first: string[]) => `where ${[...first, ...conditions].join(' and ')}`
  // PostgreSQL runs the function when a sub-query first reads it, after the session has been opened.
  const found = day && `with found as materialized (select r.id from ${source} r ${where('true')})`
  const matching = found ? 'from found r where s.status = 200' : `from ${source} r ${where('s.status = 200')}`
  // A poll leaves out rows after the watermark: an older one may still become visible.
  const isTooNew = since && `exists (select ${matching} and r.${changedAt} >= s.watermark)`
  const listed = since === undefined ? matching : `${matching} and r.${changedAt} < s.until`

  const { by, direction, key } = list.orders?.[String(given.order)] ?? list.order ?? newest
  const [way] = direction.split(' ')
  const order = `order by r.${by} ${direction}, r.id ${way}`
  // Counts in the order of an index, to read it.
  const rows = key && !day ? `${listed} ${order}` : listed

  const start = position !== null ? 'cursor' : Number(given.page) > 1 ? 'page' : 'first'
  const skipped = start === 'page' ? $((Number(given.page) - 1) * Number(given.per_page), 'bigint') : '0'
  const beyond = `and (r.${by}, r.id) ${way === 'desc' ? '<' : '>'}`
  const after = {
    first: '',
    cursor: position && `${beyond} (${$(position.at, String(key))}, ${$(position.id, 'uuid')})`,
    page: key ? `${beyond} (f.at, f.id)` : '',
  }[start]
  const keys = `r.${by} as at, r.id ${listed} and t.total > ${skipped}`
  // The index alone finds the key before a deep page.
  const keyBefore = `left join lateral (select ${keys} ${order} offset ${skipped} - 1 limit 1) as f on true`

  const ofPage = `${keys} ${after} ${order} offset ${key ? '0' : skipped} limit ${size} + 1`
  const documents = list.documents?.replace('$', String(day)) ?? `${list.view} d on d.id = k.id`
  // A search reads only its index. The documents follow, of the page alone.
  const page =
    searched || list.documents
      ? `select d.document, k.at, k.id from (select ${ofPage}) as k join ${documents} order by k.at ${direction}, k.id ${way}`
      : `select r.document, ${ofPage}`

  const text = `${found ?? ''} select
  ${statusOf(list, since, id)} as status, s.token_id, s.studio_id, s.plan_tier, s.at as watermark,
  ${isTooNew === undefined ? 's.version' : `case when not ${isTooNew} then s.version end`} as version,
  t.total, coalesce(array_to_string(p.documents[:${size}], ','), '') as data,
  coalesce(cardinality(p.ids) > ${size}, false) as has_more,
  p.moments[least(cardinality(p.ids), ${size})] as last_at, p.ids[least(cardinality(p.ids), ${size})] as last_id
from (select o.*, coalesce(o.watermark, 'infinity') as until,
  case when o.watermark > access.clock() then access.clock() else o.watermark end as at from ${session.opens} as o offset 0) as s
left join lateral (${since === undefined ? totalOf(list, filters, rows) : counted(rows)}) as t on true
${start === 'page' && key ? keyBefore : ''}
left join lateral (
  select array_agg(q.document) as documents, array_agg(q.at) as moments, array_agg(q.id) as ids
  from (${page}) as q
) as p on true`
  const shape = [...filters.map(({ mark }) => mark), since && 'since', day && 'on', given.order, start]
  const variant = `/${shape.filter((part) => part != null).join('.')}`
  return { statement: { name, text, variant }, values }
}

/** The filters that are given, each with its condition, and a mark that tells it from others. One
 * that widens another takes its place, and its value. */
function filtersOf({ filters }: ListSource, given: Values, placeholderOf: (value: unknown) => string) {
  const widened = Object.entries(filters).map(([name, { widens }]) => given[name] === 'true' && widens)
  return Object.entries(filters).flatMap(([name, { widens, condition = `r.${name} = $`, ...filter }], mark) => {
    const value = widens === undefined ? given[name] : given[name] === 'true' ? given[widens] : null
    if (value == null || widened.includes(name)) return []
    const placeholder = condition.includes('$') ? placeholderOf(value) : ''
    return [{ ...filter, name, mark, placeholder, condition: condition.replaceAll('$', () => placeholder) }]
  })
}

function statusOf({ completeSince, within }: ListSource, since: string | undefined, id: string | undefined): string {
  const found = within && `not exists (select from ${within.view} w where w.id = ${id}) then 404`
  const expired = since && completeSince && `${since} < ${completeSince} then 410`
  const failure = found ?? expired
  return failure ? `case when s.status = 200 and ${failure} else s.status end` : 's.status'
}

/** The counters have the totals of some filters; otherwise count the rows. */
function totalOf({ counters }: ListSource, filters: { name: string; placeholder: string }[], rows: string): string {
  if (counters === undefined || !filters.every(({ name }) => counters.by.includes(name))) return counted(rows)
  const cells = counters.by.map((column) => {
    const filter = filters.find(({ name }) => name === column)
    return filter === undefined ? `c.${column} = '*'` : `c.${column} = ${filter.placeholder} and c.${column} <> '*'`
  })
  return `select coalesce(sum(c.${counters.sum}), 0)::bigint as total from ${counters.view} c
    where ${['s.status = 200', ...cells].join(' and ')}`
}

const counted = (rows: string) => `select count(*) as total from (select ${rows}) as counted`
