import type { Random } from './random.ts'

/** One statement; $1 is the studio. `by`: the studio, or the owner of the schema. */
export type Change = { by: 'writer' | 'owner'; text: string }

/** A change of anything that clients hold a copy of. */
export function randomChange(random: Random): Change {
  return random.one(random.one([ofItems, ofItems, ofMaintenance, ofPolicies, ofAssignments, ofLocations]))(random)
}

/** A studio does these things now and then: it gets another plan or time zone, or values by the
 * calendar. */
export const rareChanges: ((random: Random) => Change)[] = [
  (random) => owner(`select access.set_subscription($1, '${random.one(['studio', 'pro'])}', 'active')`),
  (random) => owner(`update app.studios set timezone = '${random.one(zones)}' where id = $1`),
  () => owner('select valuation.refresh_studio($1)'),
]

type Draw = (random: Random) => Change

const zones = ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Europe/Lisbon', 'Asia/Kolkata']
const writer = (text: string): Change => ({ by: 'writer', text })
const owner = (text: string): Change => ({ by: 'owner', text })

/** A few records of a table, any of them. */
const some = (random: Random, table: string, most = 4) =>
  `(select id from app.${table} where studio_id = $1 order by md5(id::text || '${random.whole(0, 1e9)}')
    limit ${random.whole(1, most)})`
const one = (random: Random, table: string) => some(random, table, 1)
const word = (random: Random) => `'${random.whole(0, 1e9).toString(36)}, "quoted" [and {bracketed}\\'`
const where = (ids: string) => `where studio_id = $1 and id in ${ids}`

/** A day around today by the clock of the test, or none. */
const day = (random: Random, from: number, to: number) =>
  random.chance(0.15) ? 'null::date' : `(now() + (select ahead from tests.clock))::date + ${random.whole(from, to)}`

const ofItems: Draw[] = [
  (random) =>
    writer(`insert into app.items (studio_id, name, purchase_price, acquisition_date, depreciation_method)
      select $1, ${word(random)} || n, 1000 * n, date '2024-01-31', 'straight_line'
      from generate_series(1, ${random.whole(1, 5)}) as n`),
  (random) => writer(`update app.items set name = ${word(random)} ${where(some(random, 'items'))}`),
  (random) => writer(`update app.items set archived_at = now() ${where(some(random, 'items', 6))}`),
  (random) =>
    writer(
      `update app.items set archived_at = null ${where(`(select id from app.items
      where studio_id = $1 and archived_at is not null order by md5(id::text || '${random.whole(0, 1e9)}') limit 4)`)}`,
    ),
  (random) => owner(`delete from app.items ${where(some(random, 'items', 2))}`),
  (random) => writer(`update app.items set location_id = ${one(random, 'locations')} ${where(some(random, 'items'))}`),
  (random) =>
    writer(`insert into app.market_values as m (studio_id, item_id, value, as_of)
      select $1, id, ${random.whole(1, 9999)}, clock_timestamp() from ${some(random, 'items')} as i
      on conflict (studio_id, item_id) do update set value = excluded.value, as_of = excluded.as_of`),
]

const ofMaintenance: Draw[] = [
  (random) =>
    writer(`insert into app.maintenance_records (studio_id, item_id, title)
      select $1, id, ${word(random)} from ${some(random, 'items')} as i`),
  (random) =>
    writer(`insert into app.maintenance_records (studio_id, item_id, title)
      select $1, id, ${word(random)} from ${some(random, 'items')} as i`),
  (random) =>
    writer(`update app.maintenance_records set vendor = ${word(random)} ${where(some(random, 'maintenance_records'))}`),
  (random) =>
    writer(`update app.maintenance_records set item_id = ${one(random, 'items')}
      ${where(some(random, 'maintenance_records', 2))}`),
  (random) => writer(`delete from app.maintenance_records ${where(some(random, 'maintenance_records', 2))}`),
]

const ofPolicies: Draw[] = [
  (random) =>
    writer(`insert into app.policies (studio_id, name, effective_start, effective_end)
      select $1, ${word(random)}, ${day(random, -3, 1)}, ${day(random, 1, 3)}
      from generate_series(1, ${random.whole(1, 3)})`),
  (random) => writer(`update app.policies set carrier = ${word(random)} ${where(some(random, 'policies'))}`),
  (random) =>
    writer(`update app.policies set effective_start = ${day(random, -3, 0)}, effective_end = ${day(random, 0, 3)}
      ${where(some(random, 'policies'))}`),
  (random) =>
    writer(`update app.policies set effective_start = ${day(random, -3, 2)}, effective_end = null
      ${where(some(random, 'policies', 2))}`),
  (random) =>
    writer(`update app.policies set archived_at = case when archived_at is null then now() end
      ${where(some(random, 'policies', 2))}`),
  (random) => owner(`delete from app.policies ${where(some(random, 'policies', 1))}`),
  // Deleted, and recorded again under the same id with other dates.
  (random) =>
    owner(`do $do$
      declare policy uuid := (select id from app.policies where studio_id = $1 order by md5(id::text || '${random.whole(0, 1e9)}') limit 1);
      begin
        delete from app.policies where studio_id = $1 and id = policy;
        insert into app.policies (studio_id, id, name, effective_start)
        select $1, policy, 'Again', ${day(random, -1, 2)} where policy is not null;
      end $do$`),
]

const ofAssignments: Draw[] = [
  (random) =>
    writer(`insert into app.policy_assignments (studio_id, item_id, policy_id, declared_value)
      select $1, i.id, ${one(random, 'policies')}, 100 from ${some(random, 'items')} as i`),
  (random) =>
    writer(`update app.policy_assignments set declared_value = ${random.whole(1, 999)}
      ${where(some(random, 'policy_assignments'))}`),
  (random) => writer(`delete from app.policy_assignments ${where(some(random, 'policy_assignments', 2))}`),
]

const ofLocations: Draw[] = [
  (random) =>
    writer(`insert into app.locations (studio_id, name, parent_id)
      values ($1, ${word(random)}, ${one(random, 'locations')})`),
  (random) => writer(`update app.locations set city = ${word(random)} ${where(some(random, 'locations'))}`),
  (random) => writer(`delete from app.locations where not is_default and id in ${some(random, 'locations', 2)}`),
  (random) =>
    writer(`with next as (select id from app.locations where studio_id = $1 and not is_default
        order by md5(id::text || '${random.whole(0, 1e9)}') limit 1),
      before as (update app.locations set is_default = false
        where studio_id = $1 and is_default and exists (select from next) returning id)
      update app.locations l set is_default = true from next, before where l.studio_id = $1 and l.id = next.id`),
]
