import { setTimeout as sleep } from 'node:timers/promises'
import type { LoginUrl } from '../database/roles.ts'
import { asOwner, enterStudio, type Transaction } from '../database/session.ts'
import { dateAfter, importStudio } from './files.ts'
import { addHistory } from './past.ts'
import { type DemoStudio, demoStudios } from './studios.ts'

type SeedOptions = {
  adminUrl: string
  writerUrl: LoginUrl
  photosDir: string
  /** The moment from which all dates count. */
  now?: Date
}

/** How long to wait for another process that makes the studios, and how often to ask. */
const [lockTimeoutMs, lockPollMs] = [60_000, 100]

/** Makes or completes the demo studios, in one process at a time. @returns those it filled */
export function seedDemo({ adminUrl, writerUrl, photosDir, now = new Date() }: SeedOptions): Promise<string[]> {
  return asOwner(adminUrl, async (guard) => {
    await takeTurn(guard)
    const studios = await asOwner(adminUrl, (transaction) => studiosToFill(transaction, now))
    const folderOf = (name: string) => name.toLowerCase().replaceAll(' ', '-')
    await Promise.all(
      studios.map(({ studioId, studio }) =>
        importStudio(folderOf(studio.name), { studioId, writerUrl: hasty(writerUrl), photosDir }, now),
      ),
    )
    await asOwner(adminUrl, async (transaction) => {
      for (const { studioId, studio } of studios) {
        await enterStudio(transaction, studioId)
        await fixPhotos(transaction, now)
        await recordRemovals(transaction, studioId, now)
        if (studio !== demoStudios[0]) continue
        await loseOneProjection(transaction)
        await addHistory(transaction, studioId, now)
      }
    })
    return studios.map(({ studio }) => studio.name)
  })
}

/** Lets PostgreSQL write commits to the disk later. The last commit then takes the others along. */
function hasty(url: LoginUrl): LoginUrl {
  return [url].flat().map((each) => {
    const hasty = new URL(each)
    hasty.searchParams.set('options', '-c synchronous_commit=off')
    return hasty.href
  })
}

/** Takes a lock until the transaction ends. */
async function takeTurn(guard: Transaction): Promise<void> {
  const end = Date.now() + lockTimeoutMs
  for (;;) {
    const [lock] = await guard.query<{ taken: boolean }>(
      `select pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtext('demo')) as taken`,
    )
    if (lock?.taken) return
    if (Date.now() > end) throw new Error('another process has been making the demo studios for a minute')
    await sleep(lockPollMs)
  }
}

type StudioToFill = { studioId: string; studio: DemoStudio }

async function studiosToFill(transaction: Transaction, now: Date): Promise<StudioToFill[]> {
  const found: StudioToFill[] = []
  for (const studio of demoStudios) {
    const studioId = await findOrCreate(transaction, studio, now)
    if (studioId !== null) found.push({ studioId, studio })
  }
  return found
}

/** The id of a studio that needs data, else null. */
async function findOrCreate(transaction: Transaction, demo: DemoStudio, now: Date): Promise<string | null> {
  const existing = await transaction.query<{ id: string; ours: boolean }>(
    `select s.id, exists (
       select from access.members m join access.users u on u.id = m.user_id
       where m.studio_id = s.id and m.role = 'owner' and u.email = $2
     ) as ours
     from app.studios s where lower(s.name) = lower($1)`,
    [demo.name, demo.owner.email],
  )
  if (existing.length > 0) {
    const ours = existing.find((studio) => studio.ours)
    return ours && existing.length === 1 && (await isUnfinished(transaction, ours.id)) ? ours.id : null
  }
  return create(transaction, demo, now)
}

async function create(transaction: Transaction, demo: DemoStudio, now: Date): Promise<string> {
  const { name, owner, team, plan, status, trialEndsInDays, period, timezone, currency } = demo
  const [studio] = await transaction.query<{ id: string }>(
    'select access.create_studio($1, $2, $3, $4, $5, $6) as id',
    [name, owner.email, owner.name, plan, timezone, currency],
  )
  const id = studio?.id as string
  for (const person of team) {
    await transaction.query('select access.add_member($1, $2, $3, $4)', [id, person.email, person.name, person.role])
  }
  const moment = (days: number) => `${dateAfter(now, days)}T${now.toISOString().slice(11)}`
  await transaction.query('select access.set_subscription($1, $2, $3, $4, $5, $6, $7)', [
    ...[id, plan, status, trialEndsInDays === undefined ? null : moment(trialEndsInDays)],
    ...[...period.map(moment), status === 'active' ? 'month' : null],
  ])
  return id
}

async function isUnfinished(transaction: Transaction, studioId: string): Promise<boolean> {
  await enterStudio(transaction, studioId)
  const [photos] = await transaction.query<{ none: boolean }>('select not exists (select from app.item_photos) as none')
  return photos?.none === true
}

/** Gives the photos ids that follow from their items, and the moment of the demo: every demo made
 * for a moment is the same. */
async function fixPhotos(transaction: Transaction, now: Date): Promise<void> {
  await transaction.query(
    `update app.item_photos set created_at = $1,
       id = overlay(overlay(md5(item_id::text || position) placing '4' from 13) placing '8' from 17)::uuid`,
    [now.toISOString()],
  )
}

/** Spreads the archived records, with the maintenance of archived items, over the last weeks. */
async function recordRemovals(transaction: Transaction, studioId: string, now: Date): Promise<void> {
  for (const table of ['items', 'policies']) {
    await transaction.query(
      `update app.${table} t set archived_at = $1::timestamptz - old.turn * interval '6 days 7 hours'
       from (select id, row_number() over (order by external_key) as turn from app.${table}
             where archived_at is not null) old where t.id = old.id`,
      [now.toISOString()],
    )
  }
  await transaction.query(
    `insert into app.removals (studio_id, resource, id, reason, removed_at)
     select i.studio_id, 'item', i.id, 'archived', i.archived_at from app.items i where i.archived_at is not null
     union all
     select m.studio_id, 'maintenance', m.id, 'item_archived', i.archived_at
     from app.maintenance_records m join app.items i on i.studio_id = m.studio_id and i.id = m.item_id
     where i.archived_at is not null
     union all
     select p.studio_id, 'policy', p.id, 'archived', p.archived_at from app.policies p where p.archived_at is not null
     on conflict do nothing`,
  )
  await transaction.query('select app.add_data_version(array[$1::uuid])', [studioId])
}

/** Shows one item as a failed projection would: complete, but with null in its valuation fields. */
async function loseOneProjection(transaction: Transaction): Promise<void> {
  await transaction.query(
    `delete from app.item_valuations v where (v.studio_id, v.item_id) = (
       select i.studio_id, i.id from app.items i
       where i.category = 'Other / Uncategorised' and i.archived_at is null order by i.external_key limit 1
     )`,
  )
}
