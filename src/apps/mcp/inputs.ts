import { z } from 'zod'
import type { Operation } from '../../api/operation.ts'
import { pathId } from '../../api/parameters.ts'
import { categories } from '../../domain/vocabulary.ts'

/** A list's page when the caller names no size: half a screen of a model's context, and less with `fields`. */
const usualPageSize = 20

/** Parameters that a tool takes in another way than a program does. */
const special: Readonly<Record<string, z.ZodType>> = {
  // Elsewhere another text matches no item, which a model would take for an answer.
  category: z.enum(categories).describe('Only items of this category.'),
  // The API takes more than JSON Schema has a format for: a date alone, too.
  updated_since: z
    .string()
    .describe(
      'Only what was updated (or removed) at or after this ISO 8601 timestamp; a date alone is its midnight in UTC. To ask for changes ' +
        'since an answer: its `next_updated_since`.',
    ),
  cursor: z.string().describe('The `next_cursor` of the answer before, instead of `page`, with the same arguments.'),
}

/**
 * What the tool of an operation takes: its parameters, and `fields`. What is not named is an error; the API would ignore it.
 *
 * @param fields those that a caller can choose from
 */
export function inputOf(operation: Operation, fields: string[]) {
  const parameters = Object.entries(operation.parameters).map(([name, parameter]) => {
    const schema = special[name] ?? parameter.schema
    const bare = schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : schema
    const description = special[name]?.description ?? parameter.description
    if (name === 'per_page') return [name, bare.default(usualPageSize).describe(description)]
    return [name, bare.optional().describe(description)]
  })
  return z.strictObject({
    ...(operation.path.includes('{id}') && { id: pathId.schema.describe(pathId.description) }),
    ...(Object.fromEntries(parameters) as Record<string, z.ZodType>),
    fields: z
      .array(z.enum(fields))
      .min(1)
      .optional()
      .describe('The fields to return, so that the answer stays small; all of them when left out.'),
  }) as z.ZodObject
}
