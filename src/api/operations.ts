import { getAccount } from './account.ts'
import { getItem, listItems } from './items.ts'
import { listLocations } from './locations.ts'
import { listMaintenance } from './maintenance.ts'
import type { Operation } from './operation.ts'
import { getPolicy, listItemPolicies, listPolicies, listPolicyItems } from './policies.ts'
import { listRemovals } from './removals.ts'
import { getValuationSummary, listValuations } from './valuations.ts'

/** The version, at the beginning of every path. */
export const prefix = '/v1'

/** The operations of v1: the eight of the specification, and `list_valuations`,
 * `get_valuation_summary`, `list_policy_items` and `list_removals`. */
export const operations: readonly Operation[] = [
  listItems,
  getItem,
  listItemPolicies,
  listValuations,
  getValuationSummary,
  listLocations,
  listMaintenance,
  listPolicies,
  getPolicy,
  listPolicyItems,
  listRemovals,
  getAccount,
]
