import pg from 'pg'
import { BufferReader } from 'pg-protocol/dist/buffer-reader.js'
import { Parser } from 'pg-protocol/dist/parser.js'

/** A text that is longer, in bytes, is left as the bytes that PostgreSQL sent. */
const longest = 4_000

/** The driver's reader of messages, which decodes every value that it reads, but for long ones. */
function makeReader(): BufferReader {
  const reader = new BufferReader()
  const inside = reader as unknown as { buffer: Buffer; offset: number; string(length: number): string | Buffer }
  const decode = inside.string.bind(reader)
  inside.string = (length) => {
    if (length <= longest) return decode(length)
    // Copied: the driver uses its buffer again.
    const bytes = Buffer.from(inside.buffer.subarray(inside.offset, inside.offset + length))
    inside.offset += length
    return bytes
  }
  return reader
}

/** What is used of the driver's connection. */
type Connection = {
  emit(event: string, message: object): void
  attachListeners(stream: NodeJS.ReadableStream): void
}

/**
 * A client that leaves long texts undecoded, as Buffers in UTF-8: the JSON of a list is sent on as it is. To decode it and encode it
 * again would take a third of the time of a list that is read.
 *
 * With its type parsers values of type text can be `string | Buffer`; those of other types are what they are anyway.
 */
export class ClientOfLongTexts extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    const { connection } = this as unknown as { connection: Connection }
    connection.attachListeners = (stream) => {
      const parser = new Parser()
      Object.assign(parser, { reader: makeReader() })
      stream.on('data', (bytes: Buffer) =>
        parser.parse(bytes, (message) =>
          connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message),
        ),
      )
    }
  }
}

const textOid = 25

/** The type parsers for such a client, made of others: long values of other types are decoded first. */
export function typesOfLongTexts(types: pg.CustomTypesConfig): pg.CustomTypesConfig {
  return {
    getTypeParser: (oid, format) => {
      if (oid === textOid) return (value: string) => value
      const parse = types.getTypeParser(oid, format as 'text') as (value: string) => unknown
      return format === 'binary' ? parse : (value: string) => parse(String(value))
    },
  }
}
