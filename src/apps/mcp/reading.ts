import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { maximumPageSize } from '../../api/parameters.ts'
import { type Body, failureOf, type Get, nextCursor, notTheApi, read, ToolFailure } from './api.ts'

/** How many requests one call of a tool may make for pages, and as many for single items: both fit into a minute's quota of a Pro plan. */
export const maxRequests = 50

/** What one call of a tool that needs many requests reads with. */
export type Reading = {
  /** One resource, with what is said of every answer. @throws ToolFailure */
  one<Schema extends z.ZodType>(path: string, schema: Schema): Promise<{ data: z.output<Schema>; _meta: Body['_meta'] }>
  /** The resource alone; null for what is not there. */
  find<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema> | null>
  /** How many records a list has. */
  count(path: string, filters: Filters): Promise<number>
  /** All records of a list, by cursor, each once; `total` is how many there were at the end. */
  all<Schema extends z.ZodType>(
    path: string,
    filters: Filters,
    schema: Schema,
  ): Promise<{ records: z.output<Schema>[]; total: number }>
}

export type Filters = Readonly<Record<string, string | undefined>>

/** @param tooMany what to do when the lists have more pages than a call may read */
export function reading(get: Get, tooMany: string): Reading {
  const retryingGet = withBackoff(get)
  let left = maxRequests

  const page = async (path: string, filters: Filters, more: Record<string, string>) => {
    left -= 1
    if (left < 0) throw new ToolFailure(tooMany)
    const query = new URLSearchParams(more)
    for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, value)
    const body = await read(retryingGet, `${path}?${query}`)
    if (body.meta === undefined) throw notTheApi(body.reply.status)
    return { ...body, meta: body.meta }
  }

  return {
    async one(path, schema) {
      const { data, _meta } = await read(retryingGet, path)
      return { data: valid(schema, data), _meta }
    },
    async find(path, schema) {
      const reply = await retryingGet(path)
      if (reply.status === 404) return null
      if (reply.status !== 200) throw failureOf(reply, path)
      return valid(schema, (reply.body as { data?: unknown } | undefined)?.data)
    },
    async count(path, filters) {
      return (await page(path, filters, { per_page: '1' })).meta.total
    },
    async all(path, filters, schema) {
      const records: z.output<typeof schema>[] = []
      const size = { per_page: String(maximumPageSize) }
      let current = await page(path, filters, size)
      // Not read at all, when it is too much: requests count against the quota of the token.
      if (Math.ceil(current.meta.total / maximumPageSize) - 1 > left) throw new ToolFailure(tooMany)
      for (;;) {
        records.push(...valid(schema.array(), current.data))
        const cursor = nextCursor(current.reply)
        if (cursor === null) return { records, total: current.meta.total }
        current = await page(path, filters, { ...size, cursor })
      }
    },
  }
}

/** A quota of a second is worth waiting for; one of a minute is not. */
const longestWaitSeconds = 2

/** As `get`, for many requests in succession: where the quota of this second is used up, it waits for the next. */
function withBackoff(get: Get): Get {
  return async (path, signal) => {
    for (;;) {
      const reply = await get(path, signal)
      const wait = Number(reply.header('retry-after'))
      if (reply.status !== 429 || !(wait > 0 && wait <= longestWaitSeconds)) return reply
      await sleep(wait * 1000, undefined, { signal })
    }
  }
}

function valid<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const parsed = schema.safeParse(data)
  if (!parsed.success) throw notTheApi(200)
  return parsed.data
}
