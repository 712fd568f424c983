import { z } from 'zod'

/** The schemas that have a name of their own in the description of the API. */
export const components = z.registry<{ id: string }>()

/** The field types that the resources share. Spec: "ids are UUIDs; dates are ISO 8601 dates; timestamps are ISO 8601 timestamps; money amounts are JSON numbers." */

export const id = z.guid()
export const date = z.iso.date()
/** UTC with three decimals and `Z`. */
export const timestamp = z.iso.datetime({ precision: 3 })
export const money = z.number()
export const text = z.string()
export const count = z.int().min(0)

/** The two times of every record that can be polled for. */
export const recordTimes = {
  created_at: timestamp.describe('When the record was created.'),
  updated_at: timestamp.describe(
    'When anything shown of the record last changed, here or in its detail. Strictly increases: poll with `updated_since`.',
  ),
}
