import type { Offence } from './offence.ts'
import { offencesOfGrants } from './offences-of-grants.ts'
import { offencesOfPolicies } from './offences-of-policies.ts'
import { offencesOfRoles } from './offences-of-roles.ts'
import { offencesOfTables } from './offences-of-tables.ts'

/** Each rule, with the changes that it must find. */
export const offences: Record<string, Offence[]> = {
  ...offencesOfRoles,
  ...offencesOfTables,
  ...offencesOfPolicies,
  ...offencesOfGrants,
}
