import { z } from 'zod'

/** The schemas that have a name of their own in the description of the API. */
export const components = z.registry<{ id: string }>()

/** The field types that the resources share: "ids are UUIDs; dates are ISO 8601 dates; … money amounts are JSON numbers." */

export const id = z.guid()
export const date = z.iso.date()
/** UTC with three decimals and `Z`. */
export const timestamp = z.iso.datetime({ precision: 3 })
export const text = z.string()
export const count = z.int().min(0)

/**
 * An amount of money. PostgreSQL writes it with two decimals; a program that reads it as a binary floating-point number and writes it
 * again may change it, so every description says how it is to be read.
 */
export const money = (description: string) =>
  z.number().describe(`${description} In the currency of the account, with two decimals: read it as a decimal number.`)

/** The two times of every record that can be polled for. */
export const recordTimes = {
  created_at: timestamp.describe('When the record was created.'),
  updated_at: timestamp.describe(
    'When anything shown of the record last changed, here or in its detail. Strictly increases: poll with `updated_since`.',
  ),
}
