import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Negotiator from 'negotiator'
import { send } from './response.ts'

/** The content codings, the preferred first: where a client takes both alike, br is sent. */
const encodings = ['br', 'gzip'] as const

export type Encoding = (typeof encodings)[number]

/** Its types are of a release that had no second argument: which codings are preferred among those that the client takes alike. */
type Preferring = (available: string[], options: { preferred: readonly string[] }) => string[]

/** A smaller body is sent as it is, in bytes: it fits into one packet in any case. */
export const smallestCompressed = 1_000

/** The best coding of an `Accept-Encoding` (RFC 9110 §12.5.3), or null, and whether a body without one is taken too. */
export function acceptedEncoding({ headers }: Pick<IncomingMessage, 'headers'>) {
  if (headers['accept-encoding'] === undefined) return { encoding: null, plain: true }
  const negotiator: { encodings: Preferring } = new Negotiator({ headers })
  const accepted = negotiator.encodings([...encodings, 'identity'], { preferred: encodings })
  const [best] = accepted
  const encoding = encodings.find((known) => known === best) ?? null
  return { encoding, plain: encoding === null || accepted.includes('identity') }
}

/** A body that may be sent many times: it is compressed when it is first asked for, once for each coding. */
export type Body = { readonly plain: Buffer; encoded(encoding: Encoding): Promise<Buffer> }

export function createBody(text: string | Buffer): Body {
  const plain = typeof text === 'string' ? Buffer.from(text) : text
  const compressed: { [encoding in Encoding]?: Promise<Buffer> } = {}
  return {
    plain,
    encoded(encoding) {
      compressed[encoding] ??= compress[encoding](plain)
      return compressed[encoding]
    },
  }
}

const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)]

/** Compresses outside the event loop. The levels: docs/performance.md. */
const compress: Readonly<Record<Encoding, (plain: Buffer) => Promise<Buffer>>> = {
  br: (plain) =>
    brotli(plain, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_LGWIN]: 18,
        [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
      },
    }),
  gzip: (plain) => gzipped(plain, { level: 6 }),
}

/** Says that an answer depends on `Accept-Encoding`, besides what it is already said to depend on. */
export function varyByEncoding(response: ServerResponse): void {
  const known = response.getHeader('Vary')
  response.setHeader('Vary', known === undefined ? 'Accept-Encoding' : `${known}, Accept-Encoding`)
}

/** Ends a response in the coding that the client prefers. Not for a secret next to text that others choose: the length would tell. */
export async function sendCompressed(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  body: Body,
): Promise<void> {
  const { encoding, plain } = acceptedEncoding(request)
  if (encoding === null || (plain && body.plain.length < smallestCompressed)) {
    return send(response, status, type, body.plain)
  }
  const encoded = await body.encoded(encoding)
  response.setHeader('Content-Encoding', encoding)
  send(response, status, type, encoded)
}
