import { readMaintenance } from './maintenance-reading.ts'
import type { MemberReading } from './member-session.ts'

/** Amounts are decimals as text, days are `YYYY-MM-DD`, moments are RFC 3339. Null: not known. */
export type Item = {
  id: string
  /** The studio's own key, by which an import knows it. */
  key: string | null
  name: string
  manufacturer: string
  model: string
  serialNumber: string
  barcode: string
  category: string
  tags: string[]
  location: string | null
  /** The name of the location that contains the item's location. */
  above: string | null
  purchasePrice: string
  acquired: string | null
  method: string
  value: string | null
  source: string | null
  marketAsOf: string | null
  declared: string
  coverage: string | null
  gap: string | null
  createdAt: string
  updatedAt: string
  photos: string[]
}

/** Why an item is worth what it is; see api_v1.workings. */
export type Workings = {
  asOf: string
  arithmetic: string
  passedOver: string[]
  lifeMonths: number | null
  lifeFrom: string
  residual: string | null
  depreciatesFrom: string | null
  manualValue: string | null
  marketValue: string | null
  replacementCost: string | null
}

/** A year of the item's life: the value before and after it. */
export type Year = { startsOn: string; endsOn: string; opening: string; charge: string; closing: string }

export type Assignment = {
  id: string
  name: string | null
  declared: string | null
  primary: boolean
  from: string | null
  until: string | null
  active: boolean | null
}

/** Reads an item with everything about it; undefined if it is archived or not in the studio. */
export async function readItem(reading: MemberReading, id: string) {
  const { query, today } = reading
  const [item] = await query<Item>(
    `select i.id, i.external_key as key, i.name, i.manufacturer, i.model, i.serial_number as "serialNumber", i.barcode, i.category, i.tags,
       l.name as location, above.name as above, i.purchase_price as "purchasePrice", i.acquisition_date as acquired,
       i.depreciation_method as method, i.current_estimated_value as value, i.value_source as source,
       (i.market_value_as_of at time zone (select a.timezone from api_v1.account a))::date as "marketAsOf", i.reported_insured_value as declared,
       i.coverage_state as coverage, i.gap_amount as gap, api_v1.rfc3339(i.created_at) as "createdAt",
       api_v1.rfc3339(i.updated_at) as "updatedAt",
       array(select p.id::text from service.item_photos p where p.item_id = i.id order by p.position, p.id) as photos
     from api_v1.items i
     left join api_v1.locations l on l.id = i.location_id
     left join api_v1.locations above on above.id = l.parent_id
     where i.id = $1`,
    [id],
  )
  if (item === undefined) return undefined
  const most = { page: 1, size: 100, skip: 0 }
  const planned = await readMaintenance(reading, 'planned', most, { item_id: id })
  const completed = await readMaintenance(reading, 'completed', most, { item_id: id })
  const [workings] = await query<Workings>(workingsStatement, [id])
  return {
    item,
    workings,
    years: await query<Year>(yearsStatement, [id]),
    assignments: await query<Assignment>(assignmentsStatement, [id]),
    maintenance: [...planned.records, ...completed.records],
    today,
  }
}

const workingsStatement = `
  select w.as_of as "asOf", w.arithmetic, coalesce(w.passed_over, '{}') as "passedOver",
    w.useful_life_months as "lifeMonths", w.useful_life_from as "lifeFrom", w.residual_value as residual,
    w.depreciates_from as "depreciatesFrom", w.manual_value as "manualValue", w.market_value as "marketValue",
    w.replacement_cost as "replacementCost"
  from api_v1.workings w where w.item_id = $1`

const yearsStatement = `
  select min(s.starts_on) as "startsOn", max(s.ends_on) as "endsOn", max(s.opening_value) as opening,
    sum(s.charge) as charge, min(s.closing_value) as closing
  from api_v1.depreciation_schedule s where s.item_id = $1
  group by (s.month - 1) / 12 order by 1 limit 100`

const assignmentsStatement = `
  select a.policy_id as id, a.policy_name as name, a.declared_value as declared, a.is_primary as primary,
    a.effective_start as from, a.effective_end as until, p.active
  from api_v1.assignments a left join api_v1.policies p on p.id = a.policy_id
  where a.item_id = $1
  order by a.is_primary desc, a.policy_id, a.effective_start`
