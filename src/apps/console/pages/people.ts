import type { DemoPerson } from '../demo-issuer.ts'

/** What the console shows to people of the demo, by which of them it is. */
export const kinds = {
  owner: {
    title: 'Owners',
    shows: 'Manage tokens and members, import files, see the plan, read the audit log, download the report.',
  },
  admin: { title: 'Admins', shows: 'May do everything that owners may, except manage owners.' },
  member: { title: 'Members', shows: 'See the tokens and their activity, and can change nothing.' },
  trial: {
    title: 'On a trial',
    shows: 'The owner of a studio on a trial creates tokens as on a paid plan; the member sees them.',
  },
  lapsed: {
    title: 'Without a plan',
    shows: 'The plan has lapsed: no token can be created, and every request is refused.',
  },
  several: { title: 'In two studios', shows: 'Chooses a studio first, and has a different role in each.' },
} as const

export type Kind = keyof typeof kinds

/** What somebody is there for: what is special about them, else their role. */
export function kindOf({ memberships: [first, ...others] }: DemoPerson): Kind {
  if (others.length > 0) return 'several'
  return first.plan === 'active' ? first.role : first.plan
}
