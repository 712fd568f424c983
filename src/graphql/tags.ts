import { type PgSmartTagRule, pgSmartTags } from 'postgraphile/utils'

/** Tells PostGraphile what a view does not show: its key, its references, and field names. The
 * database's comments would show this to all readers of the views. */
const views: Readonly<Record<string, { name: string; tags: Readonly<Record<string, string | string[]>> }>> = {
  items: {
    name: 'item',
    tags: {
      primaryKey: 'id|@fieldName item',
      foreignKey: [
        '(location_id) references api_v1.locations (id)|@fieldName location|@foreignFieldName items',
        '(primary_policy_id) references api_v1.policies (id)|@fieldName primaryPolicy|@foreignFieldName primaryItems',
      ],
    },
  },
  locations: {
    name: 'location',
    tags: {
      primaryKey: 'id|@fieldName location',
      foreignKey: '(parent_id) references api_v1.locations (id)|@fieldName parent|@foreignFieldName children',
    },
  },
  maintenance: {
    name: 'maintenance_record',
    tags: {
      primaryKey: 'id|@fieldName maintenanceRecord',
      foreignKey: '(item_id) references api_v1.items (id)|@fieldName item|@foreignFieldName maintenanceRecords',
    },
  },
  policies: { name: 'policy', tags: { primaryKey: 'id|@fieldName policy' } },
  workings: {
    name: 'working',
    tags: {
      primaryKey: 'item_id|@fieldName itemWorkings',
      foreignKey: '(item_id) references api_v1.items (id)|@fieldName item|@foreignFieldName workings',
    },
  },
  depreciation_schedule: {
    name: 'depreciation_month',
    tags: {
      primaryKey: 'item_id,month|@fieldName depreciationMonth',
      foreignKey: '(item_id) references api_v1.items (id)|@fieldName item|@foreignFieldName depreciationSchedule',
    },
  },
  depreciation_years: {
    name: 'depreciation_year',
    tags: { primaryKey: 'year_start,category|@fieldName depreciationYear' },
  },
  depreciation_changes: {
    name: 'depreciation_change',
    tags: {
      primaryKey: 'id|@fieldName depreciationChange',
      foreignKey: '(item_id) references api_v1.items (id)|@fieldName item|@foreignFieldName depreciationChanges',
    },
  },
  closed_values: {
    name: 'closed_value',
    tags: {
      primaryKey: 'month_end,item_id|@fieldName closedValue',
      foreignKey: '(item_id) references api_v1.items (id)|@fieldName item|@foreignFieldName closedValues',
    },
  },
  corrections: {
    name: 'correction',
    tags: {
      primaryKey: 'month_end,item_id|@fieldName correction',
      foreignKey: '(item_id) references api_v1.items (id)|@fieldName item|@foreignFieldName corrections',
    },
  },
  // No key: the table's key includes the reason.
  removals: { name: 'removal', tags: {} },
  // No key: an item may be assigned to a policy twice, and no view shows the row's id.
  assignments: {
    name: 'assignment',
    tags: {
      foreignKey: [
        '(item_id) references api_v1.items (id)|@fieldName item|@foreignFieldName assignments',
        '(policy_id) references api_v1.policies (id)|@fieldName policy|@foreignFieldName assignments',
      ],
    },
  },
}

/** The functions that are lists in GraphQL. */
const listedFunctions: readonly string[] = ['items_on', 'sums_on', 'depreciation_schedule']

/** Columns with few values each, by which grouping is useful. A date is grouped by its month. */
const groupings: Readonly<Record<string, string>> = {
  items:
    'category coverage_state value_source depreciation_method manufacturer location_id acquisition_date primary_policy_id ' +
    'active_policy_count photo_count',
  locations: 'type country_code',
  maintenance: 'status maintenance_type vendor scheduled_date completed_date',
  policies: 'carrier policy_type active',
  assignments: 'policy_id is_primary active',
  removals: 'resource reason',
  workings: 'value_source',
  depreciation_schedule: 'starts_on',
  depreciation_years: 'category year_start',
  closed_values: 'month_end category value_source coverage_state',
  corrections: 'month_end category',
}

/** Columns that are never null, according to the tables. Views cannot say so. */
const present: Readonly<Record<string, string>> = {
  items:
    'name manufacturer model serial_number barcode category tags purchase_price depreciation_method ' +
    'reported_insured_value created_at updated_at photo_count active_policy_count',
  locations: 'name is_default created_at updated_at',
  maintenance: 'item_id title status created_at updated_at',
  policies: 'name archived active created_at updated_at',
  assignments: 'item_id policy_id is_primary active',
  removals: 'resource id reason removed_at',
  workings:
    'as_of purchase_price depreciation_method useful_life_months useful_life_from residual_value residual_value_from ' +
    'reported_insured_value value_source coverage_state passed_over arithmetic',
  depreciation_schedule: 'item_id month starts_on ends_on opening_value charge closing_value',
  depreciation_years:
    'year_start year_end category items opening_cost additions disposed_cost closing_cost opening_accumulated charge ' +
    'disposed_accumulated closing_accumulated opening_value closing_value proceeds gain',
  depreciation_changes: 'id item_id effective_on',
  closed_values:
    'month_end item_id name category value_source coverage_state reported_insured_value currency purchase_price ' +
    'depreciation_method useful_life_months residual_value closed_at',
  corrections: 'month_end item_id name category changed closed_at',
  account: 'name is_trial item_count currency timezone',
}

/** The tags of a column: never null, useful to group by. */
const columns = new Map<string, Record<string, string | true>>()
for (const [view, names] of Object.entries(present)) {
  for (const name of names.split(' ')) columns.set(`${view}.${name}`, { notNull: true })
}
for (const [view, names] of Object.entries(groupings)) {
  for (const name of names.split(' ')) {
    columns.set(`${view}.${name}`, { ...columns.get(`${view}.${name}`), behavior: '+attribute:groupBy' })
  }
}
// Reserved and always null: shown, but without filters, orders and aggregates.
columns.set('items.agreed_value_from_policy', { behavior: '-filterBy -orderBy -attribute:aggregate' })

const rules: PgSmartTagRule[] = [
  ...Object.entries(views).map(([view, { name, tags }]) => ({
    kind: 'class' as const,
    match: `api_v1.${view}`,
    tags: { name, ...tags } as Record<string, string | string[]>,
  })),
  { kind: 'class', match: 'api_v1.account', tags: { behavior: '-connection -list -aggregates -groupedAggregates' } },
  // GraphQL shows nothing else, now or later.
  {
    kind: 'class',
    match: ({ relname }) => !(relname in views) && relname !== 'account',
    tags: { behavior: '-*' },
  },
  { kind: 'procedure', match: ({ proname }) => !listedFunctions.includes(proname), tags: { behavior: '-*' } },
  {
    kind: 'procedure',
    match: ({ proname }) => proname === 'depreciation_schedule',
    tags: { name: 'depreciation_register' },
  },
  ...[...columns].map(([column, tags]) => ({ kind: 'attribute' as const, match: `api_v1.${column}`, tags })),
]

export const tagsPlugin = pgSmartTags(rules, null, { name: 'StudioInventoryTags' })
