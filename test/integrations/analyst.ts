import { createLogin } from '../../src/apps/analysts/logins.ts'
import { asAdministrator } from '../../src/database/session.ts'
import { demoStudios } from '../../src/dev/demo/studios.ts'
import type { Tool } from './demo.ts'

export type Analyst = { login: string; url: string }

/** A login as `studio-inventory analyst create` makes it, for the demo's studio. To be dropped with dropLogin(). */
export function makeAnalyst({ database: { adminUrl } }: Tool): Promise<Analyst> {
  return asAdministrator(adminUrl, async (transaction) => {
    const named = 'select id from app.studios where name = $1'
    const [studio] = await transaction.query<{ id: string }>(named, [demoStudios[0].name])
    const limits = { userId: null, validDays: 1, connections: 2, timeout: 60 }
    return createLogin(transaction, adminUrl, { studioId: studio?.id ?? '', ...limits })
  })
}
