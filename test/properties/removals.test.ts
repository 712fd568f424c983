import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomWrite } from '../sql/random_writes.ts'
import { askWith, inStudio, parsed, type Studio, useSql } from '../sql/support.ts'

const sql = useSql()

const filters = {
  item: ['list_items', [null, null]],
  location: ['list_locations', []],
  maintenance: ['list_maintenance', [null, null]],
  policy: ['list_policies', []],
} as const
type Resource = keyof typeof filters

/** Every record of a list, by its id: page by page. */
async function listed(studio: Studio, resource: Resource): Promise<Set<string>> {
  const [operation, given] = filters[resource]
  const found = new Set<string>()
  for (let page = 1; ; page++) {
    const answer = await askWith(sql.api, operation, studio.digest, page, 100, ...given, null)
    for (const { id } of parsed<{ id: string }>(answer)) found.add(id)
    if (!answer.has_more) return found
  }
}

async function removed(studio: Studio): Promise<Map<Resource, Set<string>>> {
  const found = new Map<Resource, Set<string>>()
  for (const resource of Object.keys(filters) as Resource[]) found.set(resource, new Set())
  for (let page = 1; ; page++) {
    const answer = await studio.ask('list_removals', page, 100, null)
    for (const { resource, id } of parsed<{ resource: Resource; id: string }>(answer)) found.get(resource)?.add(id)
    if (!answer.has_more) return found
  }
}

const day = fc.integer({ min: -3, max: 3 }).map((days) => `current_date + ${days}`)
const some = (table: string) =>
  fc
    .tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 3 }))
    .map(
      ([skipped, taken]) =>
        `(select id from app.${table} where studio_id = $1 order by id offset ${skipped} limit ${taken})`,
    )
const when = fc.boolean().map((yes) => (yes ? 'now()' : 'null'))
const owner = (text: string) => ({ by: 'owner' as const, text })

/** Writes to what the other random writes leave alone, so that policies and locations come and go as well. */
const more = fc.oneof(
  fc.tuple(day, day, when).map(([from, to, archived]) =>
    owner(`insert into app.policies (studio_id, name, effective_start, effective_end, archived_at)
      select $1, 'x', least(${from}, ${to}), greatest(${from}, ${to}), ${archived} from generate_series(1, 3)`),
  ),
  fc
    .tuple(some('policies'), when)
    .map(([ids, at]) => owner(`update app.policies set archived_at = ${at} where studio_id = $1 and id in ${ids}`)),
  fc
    .tuple(some('policies'), day)
    .map(([ids, to]) =>
      owner(
        `update app.policies set effective_end = greatest(effective_start, ${to}) where studio_id = $1 and id in ${ids}`,
      ),
    ),
  fc
    .tuple(some('policies'), day)
    .map(([ids, from]) =>
      owner(
        `update app.policies set effective_start = least(effective_end, ${from}) where studio_id = $1 and id in ${ids}`,
      ),
    ),
  some('policies').map((ids) => owner(`delete from app.policies where studio_id = $1 and id in ${ids}`)),
  fc
    .constantFrom('UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago')
    .map((zone) => owner(`update app.studios set timezone = '${zone}' where id = $1`)),
  fc.constant(
    owner(`insert into app.locations (studio_id, name)
    select $1, gen_random_uuid()::text where app.shows_all_locations($1)`),
  ),
  some('locations').map((ids) =>
    owner(`delete from app.locations where studio_id = $1 and not is_default and id in ${ids}`),
  ),
  fc
    .constantFrom('pro', 'studio', 'pro_insure')
    .map((plan) => owner(`select access.set_subscription($1, '${plan}', 'active')`)),
)

test('whatever was written, what is in a list is not among the removals, and what has left a list is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(randomWrite, more, more), { minLength: 5, maxLength: 25 }), async (writes) => {
      const [studio, neighbour] = [await sql.studio(), await sql.studio()]
      const seen = new Map<Resource, Set<string>>()
      for (const { by, text } of writes) {
        const session = by === 'owner' ? sql.owner : sql.writer
        // What a rule of the tables refuses changes nothing.
        await inStudio(session, studio, (s) => s.rows(text, text.includes('$1') ? [studio.id] : [])).catch((error) => {
          if (!/^(23|P0001)/.test(error.code ?? '')) throw error
        })
        const gone = await removed(studio)
        for (const resource of Object.keys(filters) as Resource[]) {
          const now = await listed(studio, resource)
          const known = seen.get(resource) ?? new Set()
          const away = gone.get(resource) ?? new Set()
          expect(
            [...now].filter((id) => away.has(id)),
            `listed and removed: ${resource}, ${text}`,
          ).toEqual([])
          expect(
            [...known].filter((id) => !now.has(id) && !away.has(id)),
            `lost: ${resource}, ${text}`,
          ).toEqual([])
          seen.set(resource, new Set([...known, ...now]))
        }
      }
      expect([...(await removed(neighbour)).values()].map((ids) => ids.size)).toEqual([0, 0, 0, 0])
    }),
    { numRuns: 15, endOnFailure: true },
  )
}, 120_000)
