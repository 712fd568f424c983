import type { DemoPerson } from '../../apps/console/demo-issuer.ts'
import { demoStudios } from './studios/index.ts'

/** The people of the demo studios, each with a studio and a role. */
export function demoPeople(): DemoPerson[] {
  return demoStudios.flatMap(({ name: studio, owner, team }) => [
    { ...owner, role: 'owner', studio },
    ...team.map(({ email, name, role }) => ({ email, name, role, studio })),
  ])
}
