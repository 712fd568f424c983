import { setTimeout as sleep } from 'node:timers/promises'
import { asOwner, enterStudio, type Transaction } from '../../database/session.ts'
import { daysFrom } from './calendar.ts'
import { fillStudio } from './fill.ts'
import { demoStudios } from './studios/index.ts'
import type { StudioProfile } from './studios/profile.ts'

export type SeedOptions = {
  /** The administrator's connection string. */
  adminUrl: string
  /** The connection string of studio_writer. */
  writerUrl: string
  /** The folder that the pictures are written to. */
  photosDir: string
  /** The moment that all dates are counted from. */
  now?: Date
}

/** How long to wait while another process makes the studios, and how often to ask, in milliseconds. */
const [lockTimeoutMs, lockPollMs] = [60_000, 100]

/**
 * Makes the demo studios that do not exist yet, by name; one that exists is left alone. A studio whose making was
 * interrupted is still empty and is filled now. One process at a time: another waits.
 *
 * @returns the names of the studios that were made
 */
export function seedDemo({ adminUrl, writerUrl, photosDir, now = new Date() }: SeedOptions): Promise<string[]> {
  return asOwner(adminUrl, async (guard) => {
    await takeTurn(guard)
    const studios = await asOwner(adminUrl, (transaction) => studiosToFill(transaction, now))
    await Promise.all(studios.map(({ id, profile }) => fillStudio(writerUrl, id, profile, photosDir, now)))
    const shown = studios.find(({ profile }) => profile === demoStudios[0])
    if (shown) await asOwner(adminUrl, (transaction) => loseOneProjection(transaction, shown.id))
    await asOwner(adminUrl, (transaction) => recordRemovals(transaction, studios))
    return studios.map(({ profile }) => profile.name)
  })
}

/** Waits for a lock that lasts as long as the transaction does. */
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

type StudioToFill = { id: string; profile: StudioProfile }

async function studiosToFill(transaction: Transaction, now: Date): Promise<StudioToFill[]> {
  const studios: StudioToFill[] = []
  for (const profile of demoStudios) {
    const id = await findOrCreate(transaction, profile, now)
    if (id !== null) studios.push({ id, profile })
  }
  return studios
}

/** The id of the studio when it has to be filled, else null. */
async function findOrCreate(transaction: Transaction, profile: StudioProfile, now: Date): Promise<string | null> {
  const existing = await transaction.query<{ id: string; ours: boolean }>(
    `select s.id, exists (
       select from access.members m join access.users u on u.id = m.user_id
       where m.studio_id = s.id and m.role = 'owner' and u.email = $2
     ) as ours
     from app.studios s where lower(s.name) = lower($1)`,
    [profile.name, profile.owner.email],
  )
  if (existing.length > 0) {
    const ours = existing.find((studio) => studio.ours)
    return ours && existing.length === 1 && (await isEmpty(transaction, ours.id)) ? ours.id : null
  }
  return create(transaction, profile, now)
}

async function create(transaction: Transaction, profile: StudioProfile, now: Date): Promise<string> {
  const { name, owner, team, plan, timezone, currency } = profile
  const [studio] = await transaction.query<{ id: string }>(
    'select access.create_studio($1, $2, $3, $4, $5, $6) as id',
    [name, owner.email, owner.name, plan.plan, timezone, currency],
  )
  const id = studio?.id as string
  for (const person of team) {
    await transaction.query('select access.add_member($1, $2, $3, $4)', [id, person.email, person.name, person.role])
  }
  await transaction.query('select access.set_subscription($1, $2, $3, $4, $5, $6, $7)', [
    id,
    plan.plan,
    plan.status,
    plan.trialEndsInDays === undefined ? null : daysFrom(now, plan.trialEndsInDays),
    daysFrom(now, plan.periodStartsInDays),
    daysFrom(now, plan.periodEndsInDays),
    plan.status === 'active' ? 'month' : null,
  ])
  return id
}

async function isEmpty(transaction: Transaction, studioId: string): Promise<boolean> {
  await enterStudio(transaction, studioId)
  const [items] = await transaction.query<{ none: boolean }>('select not exists (select from app.items) as none')
  return items?.none === true
}

/** What was archived before the studios came here left its list then, and the maintenance of archived items with it. */
async function recordRemovals(transaction: Transaction, studios: readonly StudioToFill[]): Promise<void> {
  for (const { id } of studios) {
    await enterStudio(transaction, id)
    await transaction.query(
      `insert into app.removals (studio_id, resource, id, reason, removed_at)
       select i.studio_id, 'item', i.id, 'archived', i.archived_at from app.items i where i.archived_at is not null
       union all
       select m.studio_id, 'maintenance', m.id, 'item_archived', i.archived_at
       from app.maintenance_records m join app.items i on i.studio_id = m.studio_id and i.id = m.item_id
       where i.archived_at is not null
       union all
       select p.studio_id, 'policy', p.id, 'archived', p.archived_at from app.policies p where p.archived_at is not null`,
    )
    await transaction.query('select app.add_data_version(array[$1::uuid])', [id])
  }
}

/** One item is shown as a broken projection would show it: complete, but for its valuation fields, which are null. */
async function loseOneProjection(transaction: Transaction, studioId: string): Promise<void> {
  await enterStudio(transaction, studioId)
  await transaction.query(
    `delete from app.item_valuations v where (v.studio_id, v.item_id) = (
       select i.studio_id, i.id from app.items i
       where i.category = 'Other / Uncategorised' and i.archived_at is null order by i.id limit 1
     )`,
  )
}
