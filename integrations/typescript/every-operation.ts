import { client } from './generated/hey-api/client.gen.js'
import * as api from './generated/hey-api/index.js'
import { patiently } from './patiently.js'

client.setConfig({ baseUrl: `${process.env.API_URL}/v1`, auth: process.env.TOKEN ?? '', fetch: patiently })

/** The body of a 200; anything else is an error with its code. */
function bodyOf<Body>({ data, error }: { data?: Body; error?: api.Problem }): Body {
  if (data === undefined) throw new Error(`${error?.code} ${error?.request_id}: ${error?.detail}`)
  return data
}

const account = bodyOf(await api.getAccount()).data
const items = bodyOf(await api.listItems({ query: { per_page: 100, coverage_state: 'uninsured' } }))
const [first] = items.data
if (!first) throw new Error('every item is insured')
const item = bodyOf(await api.getItem({ path: { id: first.id } })).data
const assignments = bodyOf(await api.listItemPolicies({ path: { id: first.id } })).data
const locations = bodyOf(await api.listLocations())
const maintenance = bodyOf(await api.listMaintenance({ query: { status: 'completed' } }))
const policies = bodyOf(await api.listPolicies())
const [someone] = policies.data
const policy = someone && bodyOf(await api.getPolicy({ path: { id: someone.id } })).data
const declared = someone && bodyOf(await api.listPolicyItems({ path: { id: someone.id } }))
const values = bodyOf(await api.listValuations({ query: { coverage_state: 'uninsured' } }))
const sums = bodyOf(await api.getValuationSummary({ query: { by: 'coverage_state' } })).data
const removals = bodyOf(await api.listRemovals())

// Numbers are numbers: no `bigint`, which arithmetic does not take.
const pages: number = Math.ceil(items.meta.total / items.meta.per_page)
const gap: number = (item.current_estimated_value ?? 0) - (item.reported_insured_value ?? 0)
const tier: string = account.plan_tier
console.log(
  JSON.stringify({
    ...{
      account: [tier, account.item_count],
      items: [items.meta.total, pages],
      item: [item.id, gap >= 0],
    },
    ...{ assignments: assignments.length, locations: locations.meta.total, maintenance: maintenance.meta.total },
    ...{ policies: policies.meta.total, policy: policy?.assignments_count, removals: removals.meta.total },
    ...{ declared: declared?.meta.total, values: values.meta.total, summed: sums.total.items },
  }),
)
