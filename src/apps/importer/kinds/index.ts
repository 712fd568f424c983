import { assignments } from './assignments.ts'
import { items } from './items.ts'
import type { Kind } from './kind.ts'
import { locations } from './locations.ts'
import { maintenance } from './maintenance.ts'
import { marketValues } from './market-values.ts'
import { policies } from './policies.ts'

/** Every kind of CSV file, in the order in which they build on each other. */
export const kinds: readonly Kind[] = [locations, items, policies, assignments, maintenance, marketValues]

export type { Column, Kind, Layout, Rule } from './kind.ts'
