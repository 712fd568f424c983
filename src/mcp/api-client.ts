import { z } from 'zod'
import { listMeta } from '../api/fields.ts'

/** The REST API's answer. `body` is the parsed JSON, undefined if it is none. */
type Reply = { status: number; body: unknown; header(name: string): string | null }

/** Sends a GET request to the REST API with the caller's own token.
 * @param path below `/v1`, with the query @throws ToolFailure without an answer */
export type Get = (path: string, signal?: AbortSignal) => Promise<Reply>

/** JSON, or undefined for other text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The API's `_meta` block, to which a later release may add. */
export const answerMeta = z.looseObject({ disclaimers: z.array(z.string()).min(1), documentation_url: z.url() })

/** An API answer, with the headers that tools pass on. */
export type Body = {
  data: unknown
  meta?: z.infer<typeof listMeta> | undefined
  _meta: z.infer<typeof answerMeta>
  reply: Reply
}

const envelopeSchema = z.looseObject({ data: z.unknown(), meta: listMeta.loose().optional(), _meta: answerMeta })

/** Reads an API answer. @throws ToolFailure for every status but 200 */
export async function read(get: Get, path: string): Promise<Body> {
  const reply = await get(path)
  if (reply.status !== 200) throw failureOf(reply, path)
  const parsed = envelopeSchema.safeParse(reply.body)
  if (!parsed.success) throw notTheApi(reply.status)
  return { ...parsed.data, reply }
}

/** The cursor of the next page, from `Link`; null on the last page. */
export function nextCursor({ header }: Reply): string | null {
  return /[?&]cursor=([\w.-]+)/.exec(header('link') ?? '')?.[1] ?? null
}

/** A tool cannot answer. The message tells the model what to do. */
export class ToolFailure extends Error {
  override name = 'ToolFailure'
  readonly problem: Problem | undefined

  constructor(message: string, problem?: Problem) {
    super(message)
    this.problem = problem
  }
}

const problem = z.looseObject({
  status: z.int(),
  code: z.string(),
  request_id: z.string(),
  errors: z.array(z.looseObject({ detail: z.string() })).optional(),
})

/** The parts of the API's problem for programs. */
type Problem = Pick<z.infer<typeof problem>, 'status' | 'code' | 'request_id'>

/** The failure for an answer other than 200.
 * @param path the request: a 404 makes sense only for an address with an id */
function failureOf(reply: Reply, path: string): ToolFailure {
  const parsed = problem.safeParse(reply.body)
  if (!parsed.success || (reply.status === 404 && !/^\/\w+\//.test(path))) return notTheApi(reply.status)
  const { status, code, request_id, errors = [] } = parsed.data
  const sentence = sentenceFor(reply, errors.map(({ detail }) => detail).join(' '), request_id)
  return new ToolFailure(sentence, { status, code, request_id })
}

/** The answer is not from this API, or from an unknown release. */
function notTheApi(status: number): ToolFailure {
  return new ToolFailure(
    `The response (status ${status}) is not from the Studio Inventory API: ask the user to check the --url that this server was started with.`,
  )
}

function sentenceFor({ status, header }: Reply, details: string, requestId: string): string {
  const wait = header('retry-after')
  switch (status) {
    case 400:
      return `The arguments are not valid; correct them and call again: ${details}`
    case 401:
      return 'The token was refused: ask the user to create a new API token in the console of the studio, and to put it in the configuration of this server.'
    case 403:
      return "The studio's plan does not include API access: tell the user that an owner of the studio has to change the plan."
    case 404:
      return 'The studio has nothing with this id, or it is archived: take an id from the tool that lists such records, unchanged, and call again.'
    case 410:
      return 'Removals since this moment are no longer known: call again with a later updated_since, or without it, and read the other lists again.'
    case 429:
      return `Too many requests: wait ${wait ?? 60} seconds, then call again with the same arguments.`
    case 503:
      return `The service is temporarily unavailable: wait ${wait ?? 5} seconds, then call again with the same arguments.`
    default:
      return `The service failed (status ${status}): call again once, and if it fails again tell the user to quote request id ${requestId} to support.`
  }
}
