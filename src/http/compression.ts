import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Negotiator from 'negotiator'
import { send } from './response.ts'

/** The content codings in order of preference: br wins where a client accepts both equally. */
const encodings = ['br', 'gzip'] as const

type Encoding = (typeof encodings)[number]

/** The package's types lack the second argument, which decides between equal codings. */
type Preferring = (available: string[], options: { preferred: readonly string[] }) => string[]

/** In bytes. A smaller body fits into one packet anyway. */
export const smallestCompressed = 1_000

/** The best coding of `Accept-Encoding` (RFC 9110 §12.5.3) or null, and whether none will do. */
export function acceptedEncoding({ headers }: Pick<IncomingMessage, 'headers'>) {
  if (headers['accept-encoding'] === undefined) return { encoding: null, plain: true }
  const negotiator: { encodings: Preferring } = new Negotiator({ headers })
  const accepted = negotiator.encodings([...encodings, 'identity'], { preferred: encodings })
  const [best] = accepted
  const encoding = encodings.find((known) => known === best) ?? null
  return { encoding, plain: encoding === null || accepted.includes('identity') }
}

/** A body. It is compressed once for each coding, on first use. Bytes are for many responses; a
 * text is for one, which Node sends faster. */
export type Body = { readonly plain: string | Buffer; encoded(encoding: Encoding): Promise<Buffer> }

export function createBody(plain: string | Buffer): Body {
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

/** Compresses outside the event loop. docs/performance.md explains the levels. */
const compress: Readonly<Record<Encoding, (plain: string | Buffer) => Promise<Buffer>>> = {
  br: (plain) =>
    brotli(plain, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_LGWIN]: 18,
        [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(plain),
      },
    }),
  gzip: (plain) => gzipped(plain, { level: 6 }),
}

/** Adds `Accept-Encoding` to `Vary`. */
export function varyByEncoding(response: ServerResponse): void {
  const known = response.getHeader('Vary')
  response.setHeader('Vary', known === undefined ? 'Accept-Encoding' : `${known}, Accept-Encoding`)
}

/** Ends a response in the best coding. Not for secrets next to others' text (BREACH). */
export async function sendCompressed(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  body: Body,
): Promise<void> {
  const { encoding, plain } = acceptedEncoding(request)
  if (encoding === null || (plain && Buffer.byteLength(body.plain) < smallestCompressed)) {
    return send(response, status, type, body.plain)
  }
  const encoded = await body.encoded(encoding)
  response.setHeader('Content-Encoding', encoding)
  send(response, status, type, encoded)
}
