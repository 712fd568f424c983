import { withClient } from '../../../database/client.ts'
import type { Tried } from '../prove.ts'
import type { Viewer } from './look.ts'
import { tryRelations } from './relations.ts'
import { tryRoutines } from './routines.ts'

/**
 * Looks for rows of other studios by every relation and, if wanted, every routine that the login reaches.
 *
 * @throws what connecting throws
 */
export async function lookAs(url: string, viewer: Viewer, routines: boolean): Promise<Tried[]> {
  return withClient(url, async (client) => {
    await client.query(`set lock_timeout = '1s'; set statement_timeout = '2min'`)
    const tried = await tryRelations(client, viewer)
    return routines ? [...tried, ...(await tryRoutines(client, viewer))] : tried
  })
}
