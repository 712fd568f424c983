import { z } from 'zod'
import { listMeta } from '../../api/envelope.ts'
import { timestamp } from '../../api/fields.ts'
import { type Operation, parametersOf } from '../../api/operation.ts'
import { operations } from '../../api/operations.ts'
import { parameterShapes, pathId } from '../../api/parameters.ts'
import { parameterDefinitions } from '../../http/parameters.ts'
import { type Answer, answerMeta, notice } from './answers.ts'
import type { Ask, Reply } from './ask.ts'
import { failureOf, notTheApi } from './failures.ts'
import { argumentsOf, loose, partial } from './schemas.ts'
import type { Tool } from './tool.ts'

/** A list's page when the caller names no size: half a screen of a model's context, and less with `fields`. */
const usualPageSize = 20

/** A tool for each operation of the API, by the same name. */
export const operationTools: readonly Tool[] = operations.map(toolOf)

function toolOf(operation: Operation): Tool {
  const { id: name, summary, description, envelope } = operation
  const element = elementOf(operation)
  const input = inputOf(operation, Object.keys(element.shape))
  const isList = envelope === 'list'
  return {
    name,
    title: summary.replace(/\.$/, ''),
    description: `${summary} ${description}${isList ? ' For the next page call again with `page` set to `meta.next_page`.' : ''}`,
    input,
    output: z.looseObject({
      notice: z.literal(notice),
      data: envelope === 'single' ? partial(element) : z.array(partial(element)),
      ...(isList && {
        meta: loose(listMeta),
        next_cursor: z.string().nullable().describe('For `cursor`, instead of `page`; null on the last page.'),
        next_updated_since: timestamp.nullable().describe('The `updated_since` of the next poll for changes.'),
      }),
      _meta: answerMeta,
    }),
    async run(given, ask) {
      const { fields, id, ...values } = argumentsOf(input, given)
      const query = new URLSearchParams()
      for (const [name, value] of Object.entries(values)) query.set(name, String(value))
      const path = operation.path.replace('{id}', encodeURIComponent(String(id)))
      const body = await read(ask, query.size === 0 ? path : `${path}?${query}`)
      return answerOf(operation, body, fields as string[] | undefined)
    },
  }
}

/** The schema of what the operation returns: one resource, or an element of the list. */
function elementOf({ id, schema }: Operation): z.ZodObject {
  const data = schema instanceof z.ZodObject ? schema.shape.data : undefined
  const element = data instanceof z.ZodArray ? data.element : data
  if (!(element instanceof z.ZodObject)) throw new Error(`${id} returns no objects`)
  return element
}

function inputOf(operation: Operation, fields: string[]) {
  const parameters = parametersOf(operation).map((name) => {
    const { schema } = parameterShapes[name]
    const bare = schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : schema
    const { description } = parameterDefinitions[name]
    // The API takes more than JSON Schema has a format for: a date alone, too.
    if (name === 'updated_since') return [name, z.string().optional().describe(description)]
    if (name === 'per_page') return [name, bare.default(usualPageSize).describe(description)]
    return [name, bare.optional().describe(description)]
  })
  return z.strictObject({
    ...(operation.arguments.id && { id: pathId.schema.describe(pathId.description) }),
    ...(Object.fromEntries(parameters) as Record<string, z.ZodType>),
    fields: z
      .array(z.enum(fields))
      .min(1)
      .optional()
      .describe('The fields to return, so that the answer stays small; all of them when left out.'),
  }) as z.ZodObject
}

/** An answer of the API with its headers, as far as a tool passes them on. */
type Body = {
  data: unknown
  meta?: z.infer<typeof listMeta> | undefined
  _meta: Answer['content']['_meta']
  reply: Reply
}

const envelopeSchema = z.looseObject({ data: z.unknown(), meta: listMeta.loose().optional(), _meta: answerMeta })

/**
 * Reads one answer of the API.
 *
 * @throws ToolFailure for every status but 200
 */
export async function read(ask: Ask, path: string): Promise<Body> {
  const reply = await ask(path)
  if (reply.status !== 200) throw failureOf(reply)
  const parsed = envelopeSchema.safeParse(reply.body)
  if (!parsed.success) throw notTheApi(reply.status)
  return { ...parsed.data, reply }
}

/** The cursor of the next page, out of `Link`; null on the last page. */
export function nextCursor({ header }: Reply): string | null {
  return /[?&]cursor=([\w.-]+)/.exec(header('link') ?? '')?.[1] ?? null
}

function answerOf(operation: Operation, { data, meta, _meta, reply }: Body, fields: string[] | undefined): Answer {
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
