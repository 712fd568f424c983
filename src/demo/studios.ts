import type { DemoMembership, DemoPerson } from '../console/identity/provider.ts'

type Person = { email: string; name: string }

/** A studio and its plan: what its files do not say. Days count from seeding. */
export type DemoStudio = {
  name: string
  timezone: string
  currency: string
  owner: Person
  team: readonly (Person & { role: 'admin' | 'member' })[]
  plan: 'pro' | 'studio'
  status: 'active' | 'trialing' | 'canceled'
  trialEndsInDays?: number
  /** The first and last day of the paid period. */
  period: readonly [number, number]
}

/** The printed token reads the first studio: a commercial facility with two rooms and a van. */
export const demoStudios: readonly [DemoStudio, ...DemoStudio[]] = [
  {
    ...{ name: 'Northlight Studios', timezone: 'Europe/London', currency: 'GBP' },
    owner: { email: 'imogen@northlight.example', name: 'Imogen Hart' },
    team: [
      { email: 'tomas@northlight.example', name: 'Tomás Reyes', role: 'admin' },
      { email: 'priya@northlight.example', name: 'Priya Nair', role: 'member' },
      { email: 'callum@northlight.example', name: 'Callum Byrne', role: 'member' },
    ],
    ...{ plan: 'studio', status: 'active', period: [-9, 21] },
  },
  // A home studio twelve days before the end of its trial, with its plan's one location.
  {
    ...{ name: 'Basement Tapes', timezone: 'America/New_York', currency: 'USD' },
    owner: { email: 'dee@basementtapes.example', name: 'Dee Marchetti' },
    team: [
      { email: 'wes@basementtapes.example', name: 'Wes Okafor', role: 'member' },
      { email: 'aylin@kanal9.example', name: 'Aylin Demir', role: 'member' },
    ],
    ...{ plan: 'pro', status: 'trialing', trialEndsInDays: 12, period: [-2, 12] },
  },
  // A second studio on the Studio plan shows that a token never reads another studio.
  {
    ...{ name: 'Kanal 9 Tonstudio', timezone: 'Europe/Berlin', currency: 'EUR' },
    owner: { email: 'jonas@kanal9.example', name: 'Jonas Brückner' },
    team: [
      { email: 'aylin@kanal9.example', name: 'Aylin Demir', role: 'admin' },
      { email: 'petra@kanal9.example', name: 'Petra Voss', role: 'member' },
    ],
    ...{ plan: 'studio', status: 'active', period: [-17, 13] },
  },
  // Its plan has lapsed: the data is still there, and the API answers 403.
  {
    ...{ name: 'Hollow Oak Recording', timezone: 'Europe/London', currency: 'GBP' },
    owner: { email: 'gwen@hollowoak.example', name: 'Gwen Pritchard' },
    team: [],
    ...{ plan: 'studio', status: 'canceled', period: [-51, -21] },
  },
]

/** Each person once, with all their studios. */
export function demoPeople(): DemoPerson[] {
  const people = new Map<string, DemoPerson>()
  const plans = { active: 'active', trialing: 'trial', canceled: 'lapsed' } as const
  for (const { name: studio, owner, team, status } of demoStudios) {
    for (const { email, name, role } of [{ ...owner, role: 'owner' as const }, ...team]) {
      const membership: DemoMembership = { studio, role, plan: plans[status] }
      const others = people.get(email)?.memberships ?? []
      people.set(email, { email, name, memberships: [...others, membership] as DemoPerson['memberships'] })
    }
  }
  return [...people.values()]
}
