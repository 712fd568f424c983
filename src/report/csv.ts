import type { Writable } from 'node:stream'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify'
import { escapeFormula } from '../domain/text.ts'
import type { Item, Schedule } from './schedule.ts'
import { declarationOf, policiesOf, sourceOf } from './words.ts'

/** The columns in order. Amounts and days stay as PostgreSQL writes them. */
const columns: Readonly<Record<string, (item: Item, schedule: Schedule) => string | number>> = {
  Name: ({ name }) => escapeFormula(name),
  Manufacturer: ({ manufacturer }) => escapeFormula(manufacturer),
  Model: ({ model }) => escapeFormula(model),
  'Serial number': ({ serialNumber }) => escapeFormula(serialNumber),
  Barcode: ({ barcode }) => escapeFormula(barcode),
  Category: ({ category }) => escapeFormula(category),
  Location: ({ location }) => escapeFormula(location),
  Acquired: ({ acquired }) => acquired ?? '',
  'Purchase price': ({ purchasePrice }) => purchasePrice ?? '',
  Value: ({ value }) => value ?? '',
  Source: sourceOf,
  'Reported as insured': ({ reported }) => reported,
  Gap: ({ gap }) => gap ?? '',
  Declaration: declarationOf,
  'Declared under policies': ({ underPolicies }) => underPolicies,
  'Policies less reported': ({ difference }) => difference,
  Policies: (item) => escapeFormula(policiesOf(item)),
  Photos: ({ photos }) => photos,
  'Book value': ({ bookValue }) => bookValue ?? '',
  'Replacement cost': ({ replacementCost }) => replacementCost ?? '',
  Key: ({ key }) => escapeFormula(key),
  Id: ({ id }) => id,
  Currency: (_item, { heading }) => heading.currency,
  Day: (_item, { heading }) => heading.day,
}

/** Writes a schedule as RFC 4180 in UTF-8, with the byte order mark that Excel needs. Programs
 * can read it: one line of headings and one per item, without totals and disclaimers. */
export async function writeCsv(schedule: Schedule, sink: Writable): Promise<void> {
  async function* records() {
    for await (const batch of schedule.batches) {
      for (const item of batch) yield Object.values(columns).map((cell) => cell(item, schedule))
    }
  }
  const lines = stringify({
    bom: true,
    header: true,
    columns: Object.keys(columns),
    record_delimiter: 'windows',
    quote_record_delimiter: true,
  })
  await pipeline(Readable.from(records()), lines, sink)
}
