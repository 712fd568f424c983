import { withClient } from '../../src/database/client.ts'
import { asOwner } from '../../src/database/session.ts'
import { makeLogger } from '../../src/log.ts'
import { migrate } from '../../src/migration/migrate.ts'
import { issueToken } from '../../src/tokens/issue-token.ts'
import { testSecretKey } from '../support/server.ts'

/** A studio with one item, whose name counts what was written. */
export type OwnStudio = { id: string; token: string }

/** Makes a database on a server of one's own, with a studio in it. */
export async function makeOwnDatabase(serverUrl: string, url: string): Promise<OwnStudio> {
  const name = new URL(url).pathname.slice(1)
  await withClient(serverUrl, (admin) => admin.query(`create database ${name}`))
  await migrate(url, testSecretKey, makeLogger({ level: 'error', fileDescriptor: 2 }))
  return asOwner(url, async (transaction) => {
    const [studio] = await transaction.query<{ id: string }>(
      `select access.create_studio('North', 'nora@example.com', 'Nora', 'studio', 'UTC', 'EUR') as id`,
    )
    const id = studio?.id ?? ''
    const [person] = await transaction.query<{ id: string }>('select access.owner_of($1) as id', [id])
    const issued = await issueToken(transaction, {
      studioId: id,
      issuedBy: person?.id ?? '',
      name: 'Books',
      scopeUserId: null,
    })
    return { id, token: issued.token }
  })
}
