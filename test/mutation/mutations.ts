import { analysts } from './guards/analysts.ts'
import { audit } from './guards/audit.ts'
import { console } from './guards/console.ts'
import { description } from './guards/description.ts'
import { graphql } from './guards/graphql.ts'
import { identity } from './guards/identity.ts'
import { importer } from './guards/importer.ts'
import { isolation } from './guards/isolation.ts'
import { listeners } from './guards/listeners.ts'
import { mcp } from './guards/mcp.ts'
import { people } from './guards/people.ts'
import { requests } from './guards/requests.ts'
import { roles } from './guards/roles.ts'
import { signIn } from './guards/sign-in.ts'
import { studios } from './guards/studios.ts'
import { sync } from './guards/sync.ts'
import { syncBesideWriters } from './guards/sync-beside-writers.ts'
import { tokens } from './guards/tokens.ts'
import { upgrades } from './guards/upgrades.ts'
import { valuation } from './guards/valuation.ts'
import type { Mutation } from './mutation.ts'

/** Every guard that is taken away, one at a time; by what it guards. */
export const mutations: readonly Mutation[] = [
  ...isolation,
  ...requests,
  ...sync,
  ...tokens,
  ...people,
  ...studios,
  ...console,
  ...identity,
  ...signIn,
  ...importer,
  ...description,
  ...analysts,
  ...graphql,
  ...mcp,
  ...audit,
  ...listeners,
  ...roles,
  ...upgrades,
  ...valuation,
  ...syncBesideWriters,
]
