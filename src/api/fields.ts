import { z } from 'zod'

/** Schemas with a name in the API's description. */
export const components = z.registry<{ id: string }>()

/** Field types: "ids are UUIDs; dates are ISO 8601 dates; … money amounts are JSON numbers." */

export const id = z.guid()
export const date = z.iso.date()
/** UTC with three decimals and `Z`. */
export const timestamp = z.iso.datetime({ precision: 3 })
export const text = z.string()
export const count = z.int().min(0)

/** An amount of money with its currency's decimals. A binary floating-point number may change
 * them, so every description says how to read it. */
export const money = (description: string) =>
  z.number().describe(`${description} In the currency of the account, with its decimals: read it as a decimal number.`)

/** Clients can poll for every record that has these times. */
export const recordTimes = {
  created_at: timestamp.describe('When the record was created.'),
  updated_at: timestamp.describe(
    'When anything shown of the record last changed, here or in its detail. Strictly increases: poll with `updated_since`.',
  ),
}
