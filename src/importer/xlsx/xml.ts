import { SaxesParser, type SaxesTagNS } from 'saxes'
import { damaged } from './archive.ts'

/** The vocabularies of workbooks, ordinary and strict. Elements of others are called ''. */
const known = new Set([
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
])

/** An attribute by its name. `r:id` finds the relationship's attribute under any prefix. */
type Attribute = (name: string) => string | undefined

type Reader = {
  root: string
  /** The children of elements; other elements may contain anything. */
  children?: Readonly<Record<string, readonly string[]>>
  /** @param parents the names of the elements around it, the root first */
  open?(name: string, attribute: Attribute, parents: readonly string[]): void
  text?(text: string, parents: readonly string[]): void
  close?(name: string, parents: readonly string[]): void
}

type Decoder = InstanceType<typeof TextDecoder>

const deepest = 100
/** A table's part never has this many characters without an element. */
const longest = 4 * 1024 * 1024

/** Reads a part, and yields after each chunk. @throws UnreadableFile for a part that is not
 * well-formed, has a document type or another root, or exceeds every workbook's depth or length */
export async function* parse(part: AsyncIterable<Buffer>, reader: Reader): AsyncGenerator<void> {
  const parser = new SaxesParser({ xmlns: true, position: false })
  const path: string[] = []
  let quiet = 0
  const refuse = () => {
    throw damaged()
  }
  parser.on('error', refuse)
  parser.on('doctype', refuse)
  parser.on('opentag', (tag) => {
    const name = known.has(tag.uri) ? tag.local : ''
    const parent = path.at(-1)
    const allowed = parent === undefined ? [reader.root] : reader.children?.[parent]
    // At a seventh handler, V8 gives the parser slow properties.
    if (path.length === 0 && !/^utf-?(?:8|16)$/i.test(parser.xmlDecl.encoding ?? 'utf-8')) refuse()
    if (path.length > deepest || (allowed && !allowed.includes(name))) refuse()
    reader.open?.(name, (wanted) => attributeOf(tag, wanted), path)
    path.push(name)
    quiet = 0
  })
  parser.on('closetag', () => {
    const name = path.pop() ?? ''
    reader.close?.(name, path)
    quiet = 0
  })
  const text = (some: string) => reader.text?.(some, path)
  parser.on('text', text)
  parser.on('cdata', text)
  let decoder: Decoder | undefined
  for await (const chunk of part) {
    decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true })
    quiet += chunk.length
    if (quiet > longest) refuse()
    parser.write(decode(decoder, chunk))
    yield
  }
  parser.write(decode(decoder ?? new TextDecoder())).close()
  yield
}

/** Reads a part to its end. */
export async function parseAll(part: AsyncIterable<Buffer>, reader: Reader): Promise<void> {
  for await (const _ of parse(part, reader));
}

function attributeOf({ attributes }: SaxesTagNS, wanted: string): string | undefined {
  if (wanted !== 'r:id') return attributes[wanted]?.value
  return Object.values(attributes).find(({ local, uri }) => local === 'id' && uri.endsWith('/relationships'))?.value
}

function encodingOf(head: Buffer): string {
  const mark = head.toString('hex', 0, 2)
  return mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8'
}

function decode(decoder: Decoder, chunk?: Buffer): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined })
  } catch {
    throw damaged()
  }
}
