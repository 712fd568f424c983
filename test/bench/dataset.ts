import { issueToken } from '../../src/auth/issue-token.ts'
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
  return withClient(adminUrl, async (client) => {
    const run: Run = (text, values = []) => client.query(text, [...values])
    await run('set synchronous_commit = off')
    const indexes = await dropIndexes(client)
    const names = Array.from({ length: 20 }, (_, n) => `Studio ${n + 1}`)
    const made = {
      usual: [] as Made[],
      large: await make(adminUrl, run, 'The large studio', holdings.large),
      small: await make(adminUrl, run, 'The small studio', holdings.small),
    }
    for (const name of names) made.usual.push(await make(adminUrl, run, name, holdings.usual))
    await run(`set maintenance_work_mem = '256MB'`)
    for (const definition of indexes) await run(definition)
    // Statistics and visibility as autovacuum keeps them.
    await run('vacuum analyze')
    const usual: Studio[] = []
    for (const studio of made.usual) usual.push(await known(client, studio))
    return { usual, large: await known(client, made.large), small: await known(client, made.small) }
  })
}

/** Makes a studio with a token, and fills it. */
export async function makeStudio(adminUrl: string, name: string, given: Holdings): Promise<Studio> {
  return withClient(adminUrl, async (client) =>
    known(client, await make(adminUrl, (text, values = []) => client.query(text, [...values]), name, given)),
  )
}

type Client = Parameters<Parameters<typeof withClient>[1]>[0]
type Made = Pick<Studio, 'id' | 'token'>

/** Takes the indexes away that no key needs, which are made faster afterwards; gives the statements that make them. */
async function dropIndexes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relnamespace = 'app'::regnamespace
       and c.relname in ('items', 'item_photos', 'item_valuations', 'maintenance_records', 'policy_assignments')
       and not exists (select from pg_constraint where conindid = i.indexrelid)`,
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

async function make(adminUrl: string, run: Run, name: string, given: Holdings): Promise<Made> {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`
  const studio = await asOwner(adminUrl, async (transaction) => {
    const [made] = await transaction.query<{ id: string }>(
      `select access.create_studio($1, $2, 'Olga Owner', 'studio') as id`,
      [name, email],
    )
    if (made === undefined) throw new Error('no studio was made')
    const [issuer] = await transaction.query<{ id: string }>('select access.owner_of($1) as id', [made.id])
    const issuedBy = String(issuer?.id)
    const issued = await issueToken(transaction, { studioId: made.id, issuedBy, name: 'benchmark', scopeUserId: null })
    return { id: made.id, token: issued.token }
  })
  await fillStudio(run, studio.id, given)
  return studio
}

async function known(client: Client, { id, token }: Made): Promise<Studio> {
  const { rows } = await client.query<{ id: string; live: string }>(
    `select id, count(*) over () as live from app.items where studio_id = $1 and archived_at is null
     order by updated_at desc, id desc limit 5000`,
    [id],
  )
  return { id, token, items: rows.map((row) => row.id), live: Number(rows[0]?.live ?? 0) }
}
