import { z } from 'zod'
import { listMeta } from '../../api/envelope.ts'
import { type Answer, answerMeta } from './answers.ts'
import { failureOf, notTheApi } from './failures.ts'
import type { Get, Reply } from './get.ts'

/** An answer of the API with its headers, as far as a tool passes them on. */
export type Body = {
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
export async function read(get: Get, path: string): Promise<Body> {
  const reply = await get(path)
  if (reply.status !== 200) throw failureOf(reply, path)
  const parsed = envelopeSchema.safeParse(reply.body)
  if (!parsed.success) throw notTheApi(reply.status)
  return { ...parsed.data, reply }
}

/** The cursor of the next page, out of `Link`; null on the last page. */
export function nextCursor({ header }: Reply): string | null {
  return /[?&]cursor=([\w.-]+)/.exec(header('link') ?? '')?.[1] ?? null
}
