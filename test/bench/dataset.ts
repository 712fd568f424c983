import { issueToken } from '../../src/access/issue.ts'
import { withClient } from '../../src/database/client.ts'
import { asOwner } from '../../src/database/session.ts'
import { fillStudio, type Holdings, type Run } from '../support/bulk.ts'

/** A studio of the dataset, with what the requests need to know of it. */
export type Studio = {
  id: string
  token: string
  /** Ids of live items, newest first. */
  items: string[]
  /** How many live items it has. */
  live: number
}

export type Dataset = {
  /** Twenty studios of 5,000 items. */
  usual: Studio[]
  /** One of 200,000. */
  large: Studio
  /** One of 100. */
  small: Studio
}

const holdings: Record<keyof Dataset, Holdings> = {
  usual: {
    items: 5_000,
    photos: { each: 2, oneIn: 1 },
    maintenance: 1_000,
    locations: 20,
    policies: 20,
    assignedOneIn: 10,
  },
  large: {
    items: 200_000,
    photos: { each: 2, oneIn: 5 },
    maintenance: 40_000,
    locations: 500,
    policies: 500,
    assignedOneIn: 10,
  },
  small: { items: 100, photos: { each: 2, oneIn: 1 }, maintenance: 20, locations: 5, policies: 5, assignedOneIn: 10 },
}

/** Loads the dataset into a migrated database that has no studios yet. */
export async function loadDataset(adminUrl: string): Promise<Dataset> {
  const usual: Studio[] = []
  for (let n = 1; n <= 20; n++) usual.push(await makeStudio(adminUrl, `Studio ${n}`, holdings.usual))
  const large = await makeStudio(adminUrl, 'The large studio', holdings.large)
  const small = await makeStudio(adminUrl, 'The small studio', holdings.small)
  // Statistics and visibility as autovacuum keeps them.
  await withClient(adminUrl, (client) => client.query('vacuum analyze'))
  return { usual, large, small }
}

/** Makes a studio with a token, and fills it. */
export async function makeStudio(adminUrl: string, name: string, given: Holdings): Promise<Studio> {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`
  const { id, token } = await asOwner(adminUrl, async (transaction) => {
    const [studio] = await transaction.query<{ id: string }>(
      `select access.create_studio($1, $2, 'Olga Owner', 'studio') as id`,
      [name, email],
    )
    if (studio === undefined) throw new Error('no studio was made')
    const [issuer] = await transaction.query<{ id: string }>('select access.owner_of($1) as id', [studio.id])
    const issued = await issueToken(transaction, {
      studioId: studio.id,
      issuedBy: String(issuer?.id),
      name: 'benchmark',
      scopeUserId: null,
    })
    return { id: studio.id, token: issued.token }
  })
  return withClient(adminUrl, async (client) => {
    await client.query('set synchronous_commit = off')
    const run: Run = (text, values = []) => client.query(text, [...values])
    await fillStudio(run, id, given)
    const { rows } = await client.query<{ id: string; live: string }>(
      `select id, count(*) over () as live from app.items where studio_id = $1 and archived_at is null order by updated_at desc, id desc limit 5000`,
      [id],
    )
    const [first] = rows
    return { id, token, items: rows.map((row) => row.id), live: Number(first?.live ?? 0) }
  })
}
