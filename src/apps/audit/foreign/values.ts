import type { Samples } from './strangers.ts'

/** A type of an argument: its name as it is written, what it is at bottom, and its first label if it is an enum. */
export type Type = { written: string; base: string; label: string | null }

/** An argument as it is written, and the words in it that are not one's own. */
export type Value = { text: string; said: string[] }

/** What nobody has. */
export const nobody = '00000000-0000-4000-8000-00000000dead'

const plain: Record<string, string[]> = {
  boolean: ['true', 'false'],
  date: ['2026-01-01', '1926-01-01'],
  interval: ['1 day', '100 years'],
  oid: ['0'],
  name: ['items', 'id'],
  time: ['12:00'],
  ...Object.fromEntries(['smallint', 'integer', 'bigint'].map((type) => [type, ['1', '0', '100', '-1']])),
  ...Object.fromEntries(['numeric', 'real', 'double precision'].map((type) => [type, ['1', '0', '1000.5']])),
  ...Object.fromEntries(
    ['with', 'without'].map((zone) => [`timestamp ${zone} time zone`, ['2026-01-01', '-infinity']]),
  ),
  regclass: ['app.items', 'access.users'],
  regtype: ['text'],
}

/** Words that a function could make a statement of. */
const names = ['app.items', 'items', 'name', '%', '', '1=1']

/**
 * Values of a type to ask with: null, one's own, another studio's, numbers, dates and so on. A type that nothing is known
 * of is asked with null.
 *
 * @param own values of the studio that may be seen, its id first
 * @param theirs those of another
 */
export function valuesOf({ written, base, label }: Type, own: Samples, theirs: Samples): Value[] {
  const typed = (text: string, said: string[] = []): Value => ({
    text: `'${text.replaceAll("'", "''")}'::${written}`,
    said,
  })
  const mine = (values: string[]) => values.map((text) => typed(text))
  const foreign = (values: string[]) => values.map((text) => typed(text, [text]))
  const [id] = own.uuids
  const [other] = theirs.uuids
  const object = (studio: string | undefined) => JSON.stringify({ studio_id: studio, id: studio })
  const known: Record<string, () => Value[]> = {
    uuid: () => [...mine(own.uuids), ...foreign(theirs.uuids)],
    text: () => [
      ...mine([...names, ...own.texts.slice(0, 8), ...own.uuids.slice(0, 4)]),
      ...foreign([...theirs.texts, ...theirs.uuids.slice(0, 8)]),
    ],
    bytea: () => [...mine([...own.digests, '\\x00']), ...foreign(theirs.digests)],
    jsonb: () => [...mine(['{}', '[]', object(id)]), ...(other === undefined ? [] : [typed(object(other), [other])])],
    'uuid[]': () => [...mine([`{${id}}`]), typed(`{${theirs.uuids.join(',')}}`, theirs.uuids)],
    'text[]': () => [...mine(['{}', '{a,b}']), typed(`{${theirs.uuids.join(',')}}`, theirs.uuids)],
  }
  const missing: Value = { text: `null::${written}`, said: [] }
  const kind = { 'character varying': 'text', character: 'text', json: 'jsonb' }[base] ?? base
  if (polymorphic.includes(base)) return ['a', id].map((text) => ({ text: `'${text}'::text`, said: [] }))
  return [missing, ...(known[kind]?.() ?? mine([...(plain[base] ?? []), ...(label === null ? [] : [label])]))]
}

const polymorphic = ['anyelement', 'anynonarray', 'anycompatible', 'anycompatiblenonarray', '"any"']

/**
 * Combinations of values for the arguments of a call: all, or so many of them that each value is in one at least.
 */
export function combinations(lists: readonly Value[][], most: number): Value[][] {
  const all = lists.reduce((product, list) => product * list.length, 1)
  if (all <= most)
    return lists.reduce<Value[][]>((rows, list) => rows.flatMap((row) => list.map((one) => [...row, one])), [[]])
  // A step that differs by argument: the same two values seldom meet twice.
  return Array.from({ length: most }, (_, round) =>
    lists.map((list, place) => list[(round + place * Math.floor(round / list.length)) % list.length] as Value),
  )
}
