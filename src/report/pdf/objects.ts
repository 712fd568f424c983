import { deflateSync } from 'node:zlib'
import type PDFDocument from 'pdfkit'

const perStream = 500

/** Private members of pdfkit's document. It has no public way to write object streams, so package.json
 * pins its version. */
type Internal = {
  _offsets: (number | null)[]
  _offset: number
  _root: object
  _info: object
  _id: Uint8Array
  _write(data: string | Uint8Array): void
  _finalize(): void
}

/** Writes the small objects of a PDF compressed, in object streams with a cross-reference stream
 * (ISO 32000-1, 7.5.7 and 7.5.8). pdfkit writes each as text, which makes a page of items four
 * times as large. */
export function createObjects(document: typeof PDFDocument.prototype) {
  const internal = document as unknown as Internal
  const streams: { id: number; members: Uint32Array }[] = []
  let waiting: { id: number; text: string }[] = []

  const flush = () => {
    if (waiting.length === 0) return
    let length = 0
    const index = waiting.map(({ id, text }) => {
      const entry = `${id} ${length}`
      length += text.length + 1
      return entry
    })
    const head = `${index.join(' ')}\n`
    const stream = document.ref({ Type: 'ObjStm', N: waiting.length, First: head.length })
    stream.write(Buffer.from(head + waiting.map(({ text }) => text).join('\n'), 'latin1'))
    stream.end(undefined)
    streams.push({ id: stream.id, members: Uint32Array.from(waiting, ({ id }) => id) })
    waiting = []
  }

  internal._finalize = () => {
    const [id, start] = [internal._offsets.push(null), internal._offset]
    const entries = Buffer.alloc(7 * (id + 1))
    const entry = (of: number, type: number, where: number, index: number) => {
      entries.writeUInt8(type, 7 * of)
      entries.writeUInt32BE(where, 7 * of + 1)
      entries.writeUInt16BE(index, 7 * of + 5)
    }
    entry(0, 0, 0, 65_535)
    for (const [at, offset] of internal._offsets.entries()) if (offset !== null) entry(at + 1, 1, offset, 0)
    for (const stream of streams) for (const [at, member] of stream.members.entries()) entry(member, 2, stream.id, at)
    entry(id, 1, start, 0)
    const content = deflateSync(entries)
    const file = `<${Buffer.from(internal._id).toString('hex')}>`
    internal._write(
      `${id} 0 obj\n<</Type/XRef/Size ${id + 1}/W[1 4 2]/Root ${internal._root}/Info ${internal._info}` +
        `/ID[${file}${file}]/Filter/FlateDecode/Length ${content.length}>>\nstream`,
    )
    internal._write(content)
    internal._write(`\nendstream\nendobj\nstartxref\n${start}\n%%EOF`)
    document.push(null)
  }

  return {
    /** The number of a new object. */
    next: () => internal._offsets.push(null),
    /** Writes an object, in ASCII. */
    write(id: number, text: string): void {
      waiting.push({ id, text })
      if (waiting.length === perStream) flush()
    },
    end: flush,
  }
}

/** Refers to an object in the values that pdfkit writes. */
export const reference = (id: number) => ({ [Symbol.toStringTag]: 'Reference', toString: () => `${id} 0 R` })
