import { withClient } from '../../../src/database/client.ts'
import { type Jobs, measureJobs, someStudios } from './jobs.ts'
import { measureNewcomer, type Newcomer } from './newcomer.ts'
import { measurePlans, type Plan } from './plans.ts'
import { measureAuthentication, measureFirst, measureReads, type Read } from './reads.ts'
import type { Place } from './server.ts'
import { measureSizes } from './sizes.ts'
import { rename, type Updated } from './updates.ts'
import { type Vacuumed, vacuum } from './vacuum.ts'

/** How much is asked, changed and refreshed. */
export type Pace = {
  readsEach: number
  day: number
  month: number
  closing: number
  updateSeconds: number
  newcomers: number
  newItems: number
}

export type Changed = { updated: Updated; vacuumed: Vacuumed }

export type Measured = {
  size: Awaited<ReturnType<typeof measureSizes>>
  reads: Read[]
  first: number
  plans: Plan[]
  authentication: Awaited<ReturnType<typeof measureAuthentication>>
  newcomer: Newcomer
  jobs: Jobs
  whole: Changed
  scattered: Changed
}

type Part = Partial<Measured>

/** The parts of a measurement, in the order in which they may follow each other: what reads come first read is read for the first time. */
export const parts: [what: string, measure: (place: Place, pace: Pace) => Promise<Part>][] = [
  ['sizes', async (place) => ({ size: await settled(place) })],
  ['reads', async (place, pace) => ({ reads: await measureReads(place, pace.readsEach) })],
  ['first list of a connection', async (place) => ({ first: await measureFirst(place, 5) })],
  ['authentication', async (place, pace) => ({ authentication: await measureAuthentication(place, pace.readsEach) })],
  ['plans', async (place) => ({ plans: await measurePlans(place, 3) })],
  [
    'a new studio',
    async (place, { newcomers, newItems }) => ({ newcomer: await measureNewcomer(place, newcomers, newItems) }),
  ],
  ['jobs', async (place, pace) => ({ jobs: await measureJobs(place, pace) })],
  ['all items of one studio in a hundred', async (place, pace) => ({ whole: await changed(place, pace, 0.01, 1) })],
  ['one item in a hundred', async (place, pace) => ({ scattered: await changed(place, pace, 1, 0.01) })],
]

/** Measures databases part by part, in turns. */
export async function measure(
  places: Place[],
  pace: Pace,
  tell: (place: number, part: object) => void,
  say: (text: string) => void,
  wanted: (what: string) => boolean = () => true,
): Promise<Part[]> {
  const found: Part[] = places.map(() => ({}))
  for (const [what, measurePart] of parts.filter(([name]) => wanted(name))) {
    for (const [n, place] of places.entries()) {
      const part = await measurePart(place, pace)
      found[n] = { ...found[n], ...part }
      tell(n, part)
    }
    say(what)
  }
  return found
}

async function settled(place: Place) {
  await withClient(place.adminUrl, (client) => client.query('analyze'))
  return measureSizes(place)
}

/** What has changed before is vacuumed first, and not counted. */
async function changed(place: Place, pace: Pace, ofStudios: number, ofItems: number): Promise<Changed> {
  const [chosen, tables] = await withClient(place.adminUrl, async (client) => {
    const { rows } = await client.query<{ names: string }>(
      `select string_agg(oid::regclass::text, ', ') as names from pg_class
       where relname ~ '^items(_\\d+)?$' and relkind = 'r' and relnamespace = 'app'::regnamespace`,
    )
    const { rows: loaded } = await client.query<{ count: string }>('select count(*) from bench.loaded')
    const studios = Math.max(1, Math.round(Number(loaded[0]?.count) * ofStudios))
    return [await someStudios(client, studios), String(rows[0]?.names)] as const
  })
  await vacuum(place, tables)
  const updated = await rename(place, chosen, ofItems, pace.updateSeconds)
  return { updated, vacuumed: await vacuum(place, tables) }
}
