import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { digestOf } from '../auth/token.ts'
import { queryOperation } from '../database/operation-row.ts'
import type { Pool } from '../database/pool.ts'
import { asOwner, enterStudio } from '../database/session.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { demoStudios } from './studios.ts'

/** What somebody needs to try the API: a token, its studio, an item and a policy. */
export type DemoAccess = z.infer<typeof demoAccessSchema>

const demoAccessSchema = z.object({ studio: z.string(), token: z.string(), itemId: z.string(), policyId: z.string() })

const { name: studioName } = demoStudios[0]

/** The demo studio's token, kept in a file of the data folder and replaced when it stops
 * working.
 * @returns null when the demo studio does not exist */
export async function demoAccess(dataDir: string, adminUrl: string, api: Pool): Promise<DemoAccess | null> {
  const file = join(dataDir, 'demo.json')
  const kept = await readAccess(file)
  if (kept && (await tokenWorks(kept.token, api))) return kept
  const access = await issueAccess(adminUrl)
  if (access) await keepAccess(file, access)
  return access
}

/** Whether the demo was there before: then this file has a token. */
export async function demoWasMade(dataDir: string): Promise<boolean> {
  return (await readAccess(join(dataDir, 'demo.json'))) !== null
}

/** Whether requests with a token are answered now. */
export async function tokenWorks(token: string, api: Pool): Promise<boolean> {
  const statement = { name: 'demo_account', text: 'select * from api_v1.get_account($1)' }
  const row = await queryOperation(api, statement, [digestOf(token)])
  return row.status === 200
}

async function issueAccess(adminUrl: string): Promise<DemoAccess | null> {
  return asOwner(adminUrl, async (transaction) => {
    const [studio] = await transaction.query<{ id: string; owner: string }>(
      `select s.id, access.owner_of(s.id) as owner from app.studios s where s.name = $1 order by s.id limit 1`,
      [studioName],
    )
    if (!studio) return null
    await enterStudio(transaction, studio.id)
    // A microphone with photos and policies.
    const [shown] = await transaction.query<{ item_id: string; policy_id: string }>(
      `select i.id as item_id, a.policy_id
       from app.items i
       join app.policy_assignments a on a.studio_id = i.studio_id and a.item_id = i.id
       where i.archived_at is null
       order by
         i.category = 'Microphones' desc,
         (select count(*) from app.item_photos p where p.studio_id = i.studio_id and p.item_id = i.id) desc,
         (select count(*) from app.policy_assignments n where n.studio_id = i.studio_id and n.item_id = i.id) desc,
         i.id, a.is_primary desc, a.policy_id
       limit 1`,
    )
    if (!shown) return null
    const { token } = await issueToken(transaction, {
      studioId: studio.id,
      issuedBy: studio.owner,
      name: 'Demo',
      scopeUserId: null,
    })
    return { studio: studioName, token, itemId: shown.item_id, policyId: shown.policy_id }
  })
}

/** The owner of the demo studio, as whom its page of GraphQL asks; null: there is no demo. */
export async function demoOwner(adminUrl: string): Promise<{ studioId: string; userId: string } | null> {
  const [owner] = await asOwner(adminUrl, (transaction) =>
    transaction.query<{ studioId: string; userId: string }>(
      `select s.id as "studioId", access.owner_of(s.id) as "userId" from app.studios s
       where s.name = $1 order by s.id limit 1`,
      [studioName],
    ),
  )
  return owner ?? null
}

/** Null for a file that is absent, or that a crash cut short: the caller issues a new token. */
async function readAccess(file: string): Promise<DemoAccess | null> {
  return readFile(file, 'utf8')
    .then(JSON.parse)
    .then(demoAccessSchema.parse)
    .catch(() => null)
}

async function keepAccess(file: string, access: DemoAccess): Promise<void> {
  const draft = `${file}.${process.pid}`
  try {
    await writeFile(draft, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600 })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
