import { z } from 'zod'
import { listMeta } from '../../api/envelope.ts'
import { timestamp } from '../../api/fields.ts'
import type { Operation } from '../../api/operation.ts'
import { operations } from '../../api/operations.ts'
import { type Answer, answerMeta, notice } from './answers.ts'
import { inputOf } from './inputs.ts'
import { type Body, nextCursor, read } from './read.ts'
import { argumentsOf, loose, partial } from './schemas.ts'
import type { Tool } from './tool.ts'

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

/** The schema of what the operation returns: one resource, or an element of the list. */
function elementOf({ id, schema }: Operation): z.ZodObject {
  const data = schema instanceof z.ZodObject ? schema.shape.data : undefined
  const element = data instanceof z.ZodArray ? data.element : data
  if (!(element instanceof z.ZodObject)) throw new Error(`${id} returns no objects`)
  return element
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
