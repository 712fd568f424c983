import type { DemoMembership, DemoPerson } from '../../apps/console/demo-issuer.ts'
import { demoStudios } from './studios/index.ts'
import type { StudioProfile } from './studios/profile.ts'

/** The people of the demo studios, each once, with every studio they belong to. */
export function demoPeople(): DemoPerson[] {
  const people = new Map<string, DemoPerson>()
  for (const { name: studio, owner, team, plan } of demoStudios) {
    for (const { email, name, role } of [{ ...owner, role: 'owner' as const }, ...team]) {
      const membership: DemoMembership = { studio, role, plan: planOf(plan) }
      const others = people.get(email)?.memberships ?? []
      people.set(email, { email, name, memberships: [...others, membership] as DemoPerson['memberships'] })
    }
  }
  return [...people.values()]
}

function planOf({ status }: StudioProfile['plan']): DemoMembership['plan'] {
  if (status === 'trialing') return 'trial'
  return status === 'canceled' ? 'lapsed' : 'active'
}
