import { analysts } from './guards/analysts.ts'
import { audit } from './guards/audit.ts'
import { console } from './guards/console.ts'
import { description } from './guards/description.ts'
import { graphql } from './guards/graphql.ts'
import { importer } from './guards/importer.ts'
import { isolation } from './guards/isolation.ts'
import { requests } from './guards/requests.ts'
import { tokens } from './guards/tokens.ts'
import { upgrades } from './guards/upgrades.ts'
import type { Sabotage } from './sabotage.ts'

/** Every guard that is taken away, one at a time; by what it guards. */
export const sabotages: readonly Sabotage[] = [
  ...isolation,
  ...requests,
  ...tokens,
  ...console,
  ...importer,
  ...description,
  ...analysts,
  ...graphql,
  ...audit,
  ...upgrades,
]
