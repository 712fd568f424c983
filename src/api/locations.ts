import { z } from 'zod'
import { locationTypes } from '../domain/vocabulary.ts'
import { components, id, recordTimes, text } from './fields.ts'

const locationType = z
  .enum(locationTypes)
  .describe('What kind of place it is.')
  .register(components, { id: 'LocationType' })

/** An element of `GET /locations`. */
export const location = z
  .strictObject({
    id: id.describe('Unique location id.'),
    name: text.describe('What the studio calls it.'),
    description: text.nullable().describe('Free text; null when not recorded.'),
    type: locationType.nullable().describe('Null when not recorded.'),
    parent_id: id.nullable().describe('The location that this one is part of; null when it is part of none.'),
    address_line1: text.nullable().describe('Street and number; null when not recorded.'),
    address_line2: text.nullable().describe('Null when not recorded.'),
    city: text.nullable().describe('Null when not recorded.'),
    region: text.nullable().describe('State, county or province; null when not recorded.'),
    postal_code: text.nullable().describe('Null when not recorded.'),
    country_code: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .nullable()
      .describe('ISO 3166-1 alpha-2; null when not recorded.'),
    is_default: z.boolean().describe('Exactly one location of a studio is its default: on a Pro plan the only one.'),
    ...recordTimes,
  })
  .describe('A place where equipment is kept.')
  .register(components, { id: 'Location' })
