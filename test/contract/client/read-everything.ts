import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'

/**
 * A program as a client would write it, with types generated from the description: reads every endpoint to the last page
 * and prints what it found. The types that it relies on are written out, so that it compiles only while they are true.
 */
declare const process: { argv: string[] }
let waits = 0
const [baseUrl = '', token = ''] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` }, fetch: withBackoff })

/** Waits as long as a 429 says, and asks again. */
async function withBackoff(request: Request): Promise<Response> {
  for (;;) {
    const response = await fetch(request.clone())
    if (response.status !== 429) return response
    waits += 1
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get('Retry-After'))))
  }
}

type Schemas = components['schemas']
type Item = Schemas['Item']
type Page = { data: readonly unknown[]; meta: { next_page: number | null; total: number } }

/** Takes the body of a 200; for anything else the error is a problem with its code. */
function taken<Body>({ data, error }: { data?: Body; error?: Schemas['Problem'] }): Body {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.detail} (${error?.request_id})`)
  return data
}

async function every<List extends Page>(read: (page: number) => Promise<List>): Promise<List['data'][number][]> {
  const found: List['data'][number][] = []
  for (let page: number | null = 1; page !== null; ) {
    const list: List = await read(page)
    found.push(...list.data)
    page = list.meta.next_page
  }
  return found
}

const items = await every(async (page) =>
  taken(await client.GET('/items', { params: { query: { page, per_page: 100, updated_since: '2000-01-01' } } })),
)
const uninsured = taken(
  await client.GET('/items', { params: { query: { category: 'Microphones', coverage_state: 'uninsured' } } }),
)
const details: Item[] = []
const assignments: Schemas['Assignment'][] = []
for (const { id } of items.slice(0, 10)) {
  const params = { path: { id } }
  details.push(taken(await client.GET('/items/{id}', { params })).data)
  assignments.push(...taken(await client.GET('/items/{id}/policies', { params })).data)
}
const locations = await every(async (page) => taken(await client.GET('/locations', { params: { query: { page } } })))
const maintenance = await every(async (page) =>
  taken(await client.GET('/maintenance', { params: { query: { page, status: 'completed' } } })),
)
const policies = await every(async (page) => taken(await client.GET('/policies', { params: { query: { page } } })))
const counted = await Promise.all(
  policies.map(async ({ id }) => taken(await client.GET('/policies/{id}', { params: { path: { id } } })).data),
)
const account = taken(await client.GET('/account')).data

const unknown = await client.GET('/items/{id}', { params: { path: { id: '00000000-0000-0000-0000-000000000000' } } })
// @ts-expect-error: it is none of the four coverage states
const refused = await client.GET('/items', { params: { query: { coverage_state: 'covered' } } })

/** Nullable where the description says so, and nowhere else. */
function worth({ category, current_estimated_value, gap_amount, coverage_state, name, purchase_price }: Item): string {
  const known: number | null = current_estimated_value
  const gap: number | null = gap_amount
  const state: 'fully_covered' | 'under_covered' | 'uninsured' | 'value_unknown' | null = coverage_state
  const price: number = purchase_price
  const kind: Schemas['Category'] = category
  // @ts-expect-error: with a hyphen it is no category
  if (category === 'Outboard - Dynamics & EQ') throw new Error('no such category')
  // @ts-expect-error: the value can be missing
  const sure: number = current_estimated_value
  return `${name} (${kind}): ${known ?? price} ${state ?? 'unavailable'} ${gap ?? ''} ${sure === known}`
}
// @ts-expect-error: the list does not have what is detail only
items.map(({ photo_urls }) => photo_urls)

console.log(
  JSON.stringify({
    items: items.length,
    uninsured: uninsured.meta.total,
    details: details.map(worth).length,
    assignments: assignments.length,
    locations: locations.length,
    maintenance: maintenance.filter(({ completed_date }) => completed_date !== null).length,
    policies: policies.length,
    assigned: counted.reduce((sum, { assignments_count }) => sum + assignments_count, 0),
    account,
    unknown: unknown.error?.code,
    refused: refused.error?.errors?.map(({ parameter }) => parameter),
    waited: waits > 0,
    requestId: unknown.response.headers.get('X-Request-Id') === unknown.error?.request_id,
  }),
)
