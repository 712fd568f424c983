import { z } from 'zod'
import { removalReasons, removedResources } from '../domain/vocabulary.ts'
import { components, id, timestamp } from './fields.ts'

/** An element of `GET /removals`. */
export const removal = z
  .strictObject({
    resource: z.enum(removedResources).describe('Which list the record has left.'),
    id: id.describe('Id of the record in that list.'),
    reason: z
      .enum(removalReasons)
      .describe(
        '`archived` (items, policies), `deleted`, `expired` or `not_started` (policies whose days are over, or were moved), ' +
          '`item_archived` (maintenance of an archived item), `not_in_plan` (locations that the plan does not show).',
      ),
    removed_at: timestamp.describe('When the record left the list: poll with `updated_since`.'),
  })
  .describe('A record that has left its list.')
  .register(components, { id: 'Removal' })
