import { z } from 'zod'
import { locationTypes } from '../domain/vocabulary.ts'
import { components, id, listOf, recordTimes, text } from './fields.ts'
import { listOperation } from './operation.ts'

const locationType = z
  .enum(locationTypes)
  .describe('What kind of place it is.')
  .register(components, { id: 'LocationType' })

export const location = z
  .strictObject({
    id: id.describe('Unique location id.'),
    name: text.describe('What the studio calls it.'),
    description: text.nullable().describe('Free text; null when not recorded.'),
    type: locationType.nullable().describe('What kind of place it is; null when not recorded.'),
    parent_id: id.nullable().describe('The location that this one is part of; null when it is part of none.'),
    address_line1: text.nullable().describe('First line of the address; null when not recorded.'),
    address_line2: text.nullable().describe('Second line of the address; null when not recorded.'),
    city: text.nullable().describe('City or town; null when not recorded.'),
    region: text.nullable().describe('State, province or county; null when not recorded.'),
    postal_code: text.nullable().describe('Postal code; null when not recorded.'),
    country_code: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .nullable()
      .describe('Country, ISO 3166-1 alpha-2; null when not recorded.'),
    is_default: z.boolean().describe('Exactly one location of a studio is its default: on a Pro plan the only one.'),
    ...recordTimes,
  })
  .describe('A place where equipment is kept.')
  .register(components, { id: 'Location' })

export const listLocations = listOperation({
  id: 'list_locations',
  path: '/locations',
  summary: 'List locations.',
  description:
    'Sorted by the latest update, then by id, descending. On a Pro plan this is the one implicit location of the studio; more are a ' +
    'feature of the Studio plan.',
  purpose: 'Where equipment is kept, with ids for `location_id`. On a Pro plan there is one location.',
  tag: 'Locations',
  examples: { two_a_page: { summary: 'The first of several pages', request: '/locations?per_page=2' } },
  schema: listOf('LocationList', location),
  list: {
    view: 'service.location_documents',
    filters: {},
  },
})
