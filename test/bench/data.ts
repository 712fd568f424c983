import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withClient } from '../../src/database/client.ts'
import { roleUrl } from '../../src/database/roles.ts'
import { asOwner } from '../../src/database/session.ts'
import { openEmbedded } from '../../src/embedded/server.ts'
import { makeLogger } from '../../src/log.ts'
import { migrate } from '../../src/migration/migrate.ts'
import { issueToken } from '../../src/tokens/issue-token.ts'
import { fillStudio, type Holdings } from '../support/bulk.ts'

/** Everything of one run lies in one folder and ends with it. */
export type Scratch = { folder: string; adminUrl: string; writerUrl: string; secretKey: string; closers: Closers }

/** What to do at the end, in reverse order. */
export type Closers = (() => unknown)[]

/** A studio, its live items (their number, and the ids of the newest first), and a token. */
export type Studio = { id: string; token: string; live: number; items: string[] }

/** Twenty studios of 5,000 items, one of 200,000, and one of 100. */
export type Dataset = { usual: Studio[]; large: Studio; small: Studio }

const secretKey = 'a secret key for benchmarks, known to everybody'

/** A folder for a run; as root the server runs as another user, who has to get in. */
export async function makeFolder(closers: Closers): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-bench-'))
  await chmod(folder, 0o755)
  closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Starts a PostgreSQL with the embedded one's settings, and migrates its database. */
export async function openScratch(closers: Closers): Promise<Scratch> {
  const folder = await makeFolder(closers)
  const log = makeLogger({ level: 'error', fileDescriptor: 2 })
  const server = await openEmbedded(join(folder, 'server'), log)
  closers.push(() => server.close())
  await migrate(server.url, secretKey, log)
  await withClient(server.url, (client) => client.query(reader))
  const writerUrl = roleUrl(server.url, 'studio_writer', secretKey)
  return { folder, adminUrl: server.url, writerUrl, secretKey, closers }
}

/** The usual server's role, by studio_writer's login, with row-level security and default
 * planner settings. */
const reader = `
  create role bench_reader nologin noinherit;
  grant usage on schema app, access to bench_reader;
  grant select on all tables in schema app to bench_reader;
  grant execute on function access.current_studio_id, access.current_studio_mask to bench_reader;
  grant bench_reader to studio_writer with inherit false, set true;`

const holdings = (items: number, photosOneIn = 1): Holdings => ({
  ...{ items, photos: { each: 2, oneIn: photosOneIn }, maintenance: items / 5 },
  ...{ locations: 20, policies: 20, assignedOneIn: 10 },
})

export async function loadDataset(scratch: Scratch): Promise<Dataset> {
  const large = await makeStudio(scratch, 'The large studio', holdings(200_000, 5))
  const small = await makeStudio(scratch, 'The small studio', holdings(100))
  const usual: Studio[] = []
  for (let n = 1; n <= 20; n++) usual.push(await makeStudio(scratch, `Studio ${n}`, holdings(5_000)))
  // Statistics and visibility as autovacuum keeps them.
  await withClient(scratch.adminUrl, (client) => client.query('vacuum analyze'))
  return { usual, large, small }
}

export async function makeStudio({ adminUrl }: Scratch, name: string, given: Holdings): Promise<Studio> {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`
  const { id, token } = await asOwner(adminUrl, async (transaction) => {
    const one = async (text: string, value: string) =>
      (await transaction.query<{ id: string }>(text, [value]))[0]?.id ?? ''
    const studioId = await one(`select access.create_studio($1, '${email}', 'Olga Owner', 'studio') as id`, name)
    const issuedBy = await one('select access.owner_of($1) as id', studioId)
    const issued = await issueToken(transaction, { studioId, issuedBy, name: 'bench', scopeUserId: null })
    return { id: studioId, token: issued.token }
  })
  return withClient(adminUrl, async (client) => {
    await fillStudio((text, values = []) => client.query(text, [...values]), id, given)
    const { rows } = await client.query<{ id: string; live: number }>(
      `select id, count(*) over ()::integer as live from app.items where studio_id = $1 and archived_at is null
       order by updated_at desc, id desc limit 5000`,
      [id],
    )
    return { id, token, live: rows[0]?.live ?? 0, items: rows.map((row) => row.id) }
  })
}
