import { utc } from '../../database/client.ts'
import { type Transaction, withStudioReader } from '../../database/session.ts'
import { requireDay } from './day.ts'
import { itemsStatement } from './statements.ts'
import { readTotals, type Totals } from './totals.ts'

/** What a report is about. Dates are `YYYY-MM-DD`. */
export type Heading = {
  studio: string
  /** The day of the values. */
  day: string
  /** Today on the studio's own calendar. */
  today: string
  /** ISO 4217, of every amount. */
  currency: string
  /** When it was made, RFC 3339 in UTC, with milliseconds. */
  madeAt: string
}

/** A policy that an item was declared under on the day. */
export type ItemPolicy = { name: string; number: string | null; declared: string | null; archived: boolean }

/** One line of the schedule. Amounts are decimals with two places as text, null when not known. */
export type Item = {
  id: string
  name: string
  manufacturer: string
  model: string
  serialNumber: string
  barcode: string
  category: string
  /** With the location that it is part of; empty when none is set or the plan does not show it. */
  location: string
  acquired: string | null
  purchasePrice: string | null
  value: string | null
  source: string | null
  declared: string | null
  gap: string | null
  coverage: string | null
  policies: ItemPolicy[]
  /** The storage key of the first photo; null when there is none. */
  photoKey: string | null
  photos: number
}

/** The schedule of one studio on one day: what it says as a whole, then its items, by category and name, a batch at a time. */
export type Schedule = { heading: Heading; totals: Totals; batches: AsyncIterable<Item[]> }

const batchSize = 100

/**
 * Reads the schedule of a studio in one transaction, which sees one moment: totals and items agree. The items come from a cursor.
 *
 * @param url the connection string of studio_api
 * @param day `YYYY-MM-DD`; null for today on the studio's calendar
 * @throws BadDay; what `work` or the database throws
 */
export function withSchedule<Result>(
  { url, studioId, day }: { url: string; studioId: string; day: string | null },
  work: (schedule: Schedule) => Promise<Result>,
): Promise<Result> {
  if (day !== null) requireDay(day)
  return withStudioReader(url, studioId, async (transaction) => {
    const heading = await readHeading(transaction, day)
    return work({
      heading,
      totals: await readTotals(transaction, heading.day, heading.today),
      batches: readItems(transaction, heading),
    })
  })
}

async function readHeading(transaction: Transaction, day: string | null): Promise<Heading> {
  const [heading] = await transaction.query<Heading>(
    `select a.name as studio, a.currency, access.current_studio_today()::text as today,
       coalesce($1::date, access.current_studio_today())::text as day,
       ${utc('access.clock()')} as "madeAt"
     from api_v1.account a`,
    [day],
  )
  if (heading === undefined) throw new Error('there is no such studio')
  return heading
}

async function* readItems(transaction: Transaction, { day, today }: Heading): AsyncGenerator<Item[]> {
  await transaction.query(`declare schedule no scroll cursor for ${itemsStatement(day, today)}`)
  for (;;) {
    const rows = await transaction.query<Item>(`fetch ${batchSize} from schedule`)
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
  }
}
