import { z } from 'zod'
import { listMeta, timestamp } from '../api/fields.ts'
import type { Operation } from '../api/operation.ts'
import { operations } from '../api/operations.ts'
import { pathId } from '../api/parameters.ts'
import { categories } from '../domain/vocabulary.ts'
import { answerMeta, type Body, nextCursor, read } from './api-client.ts'
import { argumentsOf, notice, type Tool, type ToolOutput } from './tool.ts'

function toolOf(operation: Operation): Tool {
  const { id: name, summary, purpose, envelope } = operation
  const element = elementOf(operation)
  const input = inputOf(operation, Object.keys(element.shape))
  const isList = envelope === 'list'
  return {
    name,
    title: summary.replace(/\.$/, ''),
    description: `${purpose}${isList ? ' Next page: `page` = `meta.next_page`.' : ''}`,
    input,
    output: z.looseObject({
      notice: z.literal(notice),
      // The caller chooses the fields in `fields`.
      data: envelope === 'single' ? z.looseObject({}) : z.array(z.looseObject({})),
      ...(isList && {
        meta: listMeta.loose(),
        next_cursor: z.string().nullable().describe('The next `cursor`; null on the last page.'),
        next_updated_since: timestamp.nullable().describe('`updated_since` of the next poll.'),
      }),
      _meta: answerMeta,
    }),
    async run(given, get) {
      const { fields, id, ...values } = argumentsOf(input, given)
      const query = new URLSearchParams()
      for (const [name, value] of Object.entries(values)) query.set(name, String(value))
      const path = operation.path.replace('{id}', encodeURIComponent(String(id)))
      const body = await read(get, query.size === 0 ? path : `${path}?${query}`)
      return answerOf(operation, body, fields as string[] | undefined)
    },
  }
}

/** The schema of what the operation returns: a resource, or an element of a list. */
function elementOf({ id, schema }: Operation): z.ZodObject {
  const data = schema instanceof z.ZodObject ? schema.shape.data : undefined
  const element = data instanceof z.ZodArray ? data.element : data
  if (!(element instanceof z.ZodObject)) throw new Error(`${id} returns no objects`)
  return element
}

function answerOf(operation: Operation, { data, meta, _meta, reply }: Body, fields: string[] | undefined): ToolOutput {
  const picked = fields === undefined ? data : Array.isArray(data) ? data.map(pick(fields)) : pick(fields)(data)
  if (operation.envelope !== 'list') return { content: { data: picked, _meta }, remarks: [] }
  const next = { next_cursor: nextCursor(reply), next_updated_since: reply.header('next-updated-since') }
  return { content: { data: picked, meta, ...next, _meta }, remarks: [placeOf(operation, meta)] }
}

function placeOf({ id }: Operation, meta: Body['meta']): string {
  const { page = 1, total = 0, next_page = null } = meta ?? {}
  const here = `This is page ${page} of a list of ${total}.`
  if (next_page === null) return `${here} There is no further page.`
  return `${here} For the next page call ${id} with the same arguments and page: ${next_page}.`
}

const pick = (fields: string[]) => (record: unknown) =>
  Object.fromEntries(Object.entries(record as object).filter(([name]) => fields.includes(name)))

/** How many records a page has by default: half a screen of a model's context, and fewer without
 * `fields`. */
const usualPageSize = 20

/** Parameters that tools read differently than programs. */
const special: Readonly<Record<string, z.ZodType>> = {
  // The API finds nothing for other text, which a model would take for an answer.
  category: z.enum(categories).describe('Only items of this category.'),
  // JSON Schema has no format for a date alone, which the API accepts, too.
  updated_since: z
    .string()
    .describe('Only what changed or left since this ISO 8601 timestamp or date; then `next_updated_since`.'),
  cursor: z.string().describe('The `next_cursor` of the previous result, instead of `page`.'),
  on: z.string().describe('The end of a day, `YYYY-MM-DD`.'),
  page: z.int().min(1).describe('From 1.'),
  per_page: z.int().min(1).describe('At most 100.'),
}

/** A tool's arguments: the operation's parameters, and `fields`. Unknown ones are errors here;
 * the API ignores them.
 * @param fields those that a caller can choose from */
function inputOf(operation: Operation, fields: string[]) {
  const parameters = Object.entries(operation.parameters).map(([name, parameter]) => {
    const schema = special[name] ?? parameter.schema
    const bare = schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : schema
    const description = special[name]?.description ?? parameter.description
    if (name === 'per_page') return [name, bare.default(usualPageSize).describe(description)]
    return [name, bare.optional().describe(description)]
  })
  return z.strictObject({
    ...(operation.path.includes('{id}') && { id: pathId.schema.describe('An id from a list.') }),
    ...(Object.fromEntries(parameters) as Record<string, z.ZodType>),
    fields: z.array(z.enum(fields)).min(1).optional().describe('Fields to return.'),
  }) as z.ZodObject
}

/** A tool for each operation, under the same name. */
export const operationTools: readonly Tool[] = operations.map(toolOf)

const found = ['id', 'name', 'manufacturer', 'model', 'serial_number', 'category', 'location_id']
const search = z.strictObject({
  q: z
    .string()
    .min(1)
    .describe('Words of the name, manufacturer, model, serial number, barcode or tags. Each must occur.'),
})

/** `list_items` by words alone, in the fewest tokens: what an assistant is asked most. */
export const findItems: Tool = {
  name: 'find_items',
  title: 'Find equipment by words',
  description:
    'Finds equipment by words: "Where is the U 87?", "Do we own a Neve preamp?" At most 20; then call `get_item` for values, or ' +
    '`list_items` for more.',
  input: search,
  output: z.looseObject({
    notice: z.literal(notice),
    data: z.array(z.looseObject({ id: z.string() })),
    _meta: answerMeta,
  }),
  run: (given, get) => {
    const listing = operationTools.find(({ name }) => name === 'list_items')
    if (listing === undefined) throw new Error('there is no list_items')
    return listing.run({ ...argumentsOf(search, given), fields: found }, get)
  },
}
