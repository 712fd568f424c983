import { asAdministrator, asOwner, enterStudio, type Transaction } from '../../database/session.ts'
import { readSettings, readSources, readVocabulary, type Source, type Studios, sampleEvenly } from './sources.ts'

/** Values of the studios that a login must not see. */
export type OtherStudios = {
  /** The login's own studio. */
  studio: string
  markers: Markers
  search: Search
  /** Some ids of other studios' rows. */
  ids: string[]
  /** Another studio, and the settings with which a session could claim it. */
  other: string
  settings: string[]
  /** The studio's current number of rows in a relation of api_v1 or service. */
  count(relation: string): Promise<number>
  /** The values that the search left out, if any. */
  notes: string[]
}

/** Reads a table's rows from all other studios, at least twenty of each. */
const maxRows = 40_000
const maxOthers = 200
const maxOwnRows = 200_000

/** The server searches relations that are too large to fetch for this many ids. */
const maxIds = 24

/** Collects values that identify other studios' rows, but occur neither here nor in the catalog. A
 * leak may lack the column `studio_id`: a copy, a view or a function can omit it. */
export async function readOtherStudios(adminUrl: string, studio: string, studios: Studios): Promise<OtherStudios> {
  const { words, settings } = await asAdministrator(adminUrl, async (transaction) => {
    return { words: await readVocabulary(transaction), settings: await readSettings(transaction) }
  })
  const others = studios.all.filter((id) => id !== studio)
  const withItems = new Set(studios.withItems)
  const full = others.filter((id) => withItems.has(id))
  const empty = others.filter((id) => !withItems.has(id))
  const asked = [...sampleEvenly(full, maxOthers), ...empty].slice(0, maxOthers)
  return asOwner(adminUrl, async (transaction) => {
    const { sources, shared } = await readSources(transaction)
    const markers = new Map<string, string>(studios.all.map((id) => [id, 'app.studios.id']))
    for (const other of asked) {
      await enterStudio(transaction, other)
      const rows = Math.max(20, Math.floor(maxRows / asked.length))
      for (const source of sources) {
        const found = await collect(transaction, source, other, rows)
        for (const [value, column] of found) if (!markers.has(value)) markers.set(value, column)
      }
    }
    const search = searchFor(markers.keys())
    for (const value of search(words.join('\n'))) if (!isOpaque(value)) markers.delete(value)

    await enterStudio(transaction, studio)
    let most = 0
    const mine = sources.map((source) => ({ ...source, rows: `${source.name} where ${source.mine}` }))
    const everybodys = shared.map((name) => ({ name, columns: [`${name.split('.').at(-1)}::text`], rows: name }))
    for (const { rows, columns } of [...mine, ...everybodys]) {
      const text = `select concat_ws(E'\\n', ${columns.join(', ')}) as text from ${rows}`
      const values = rows.includes('$1') ? text.replaceAll('$1', `'${studio}'`) : text
      const read = await eachText(transaction, values, (found) => {
        for (const value of search(found)) markers.delete(value)
      })
      most = Math.max(most, read)
    }
    const other = asked[0] ?? ''
    return {
      studio,
      markers,
      search: searchFor(markers.keys()),
      ids: [other, ...sampleEvenly([...markers.keys()].filter(looksLikeUuid), maxIds)],
      other,
      settings,
      count: (relation) => countAs(adminUrl, studio, relation),
      notes: [
        ...(asked.length < others.length
          ? [`values were taken of ${asked.length} of ${others.length} other studios, and every studio’s id`]
          : []),
        ...(most >= maxOwnRows ? [`of the studio’s own tables the first ${maxOwnRows} rows were compared`] : []),
      ],
    }
  })
}

/** The distinctive values of a studio's rows in a table, by column. */
async function collect(
  transaction: Transaction,
  { name, mine, columns }: Source,
  studio: string,
  rows: number,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const read = columns.map((column) => `pg_catalog.to_jsonb(${column}) as ${column}`).join(', ')
  for (const row of await transaction.query(`select ${read} from ${name} where ${mine} limit ${rows}`, [studio])) {
    for (const [column, value] of Object.entries(row)) {
      for (const text of [value].flat()) {
        if (typeof text !== 'string') continue
        const digest = /^\\(x([0-9a-f]{16,}))$/.exec(text)
        const forms = digest ? digest.slice(1) : isDistinctive(text) ? [text] : []
        for (const form of forms) found.set(form, `${name}.${column}`)
      }
    }
  }
  return found
}

function looksLikeUuid(text: string): boolean {
  return isOpaque(text) && text.length === 36 && text[8] === '-'
}

/** Passes on a query's texts, some thousand at a time. @returns how many there were */
async function eachText(transaction: Transaction, query: string, look: (text: string) => void): Promise<number> {
  await transaction.query(`declare texts no scroll cursor for ${query} limit ${maxOwnRows}`)
  let read = 0
  for (;;) {
    const rows = await transaction.query<{ text: string }>('fetch 5000 from texts')
    for (const { text } of rows) look(text)
    read += rows.length
    if (rows.length === 0) break
  }
  await transaction.query('close texts')
  return read
}

function countAs(adminUrl: string, studio: string, relation: string): Promise<number> {
  return asOwner(adminUrl, async (transaction) => {
    await enterStudio(transaction, studio)
    const [row] = await transaction.query<{ rows: string }>(`select count(*) as rows from ${relation}`)
    return Number(row?.rows)
  })
}

/** Values of other studios, each with its column. */
type Markers = ReadonlyMap<string, string>

/** Finds which values a text has as whole words. */
type Search = (text: string) => string[]

/** The shortest value. The search goes by this many first characters. */
const stem = 6

/** Prepares a search for whole words of six characters or more: `P-1` is not in `P-12`. */
function searchFor(values: Iterable<string>): Search {
  const byStem = new Map<string, string[]>()
  for (const value of values) {
    const start = value.slice(0, stem)
    const others = byStem.get(start)
    if (others) others.push(value)
    else byStem.set(start, [value])
  }
  return (text) => {
    const found = new Set<string>()
    const last = byStem.size === 0 ? -1 : text.length - stem
    for (let at = 0; at <= last; at++) {
      if (at > 0 && isWord(text, at - 1) && isWord(text, at)) continue
      for (const value of byStem.get(text.slice(at, at + stem)) ?? []) {
        const end = at + value.length
        const cut = end < text.length && isWord(text, end) && isWord(text, end - 1)
        if (!cut && text.startsWith(value, at)) found.add(value)
      }
    }
    return [...found]
  }
}

function isWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code > 127
  )
}

/** An id, digest or address is distinctive: two people would not write the same one by chance. */
function isOpaque(value: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^x?[0-9a-f]{16,}$|^[^@\s]+@[^@\s]+$/.test(value)
}

/** Whether a value identifies a row: long, no bare number or date, unchanged in JSON and arrays. */
function isDistinctive(value: string): boolean {
  if (value.length < stem || value.length > 300 || /["\\\p{Cc}]/u.test(value)) return false
  return isOpaque(value) || value.length >= 10 || !/^[\d\s.,:+-]+$/.test(value)
}
