import { builtInNames } from '../../database/client.ts'
import { type Client, inRolledBackTransaction, stateOf } from './look.ts'
import type { Samples } from './other-studios.ts'

/** The type of an argument. */
export type ArgumentType = {
  /** Its name in SQL. */
  written: string
  /** The type at the bottom of a domain; else its own name. */
  base: string
  kind: 'base' | 'string' | 'enum' | 'range' | 'multirange' | 'array' | 'composite' | 'pseudo'
  /** The first label of an enum. */
  label: string | null
  /** The type of an array's elements, or those of a composite's columns. */
  parts: ArgumentType[]
  /** Values that a base type accepts. */
  literals: string[]
}

/** Every type; domains with the types below them. */
const everyType = `
  with recursive ground (domain, oid, kind, base) as (
    select t.oid, t.oid, t.typtype, t.typbasetype from pg_catalog.pg_type t
    union all
    select g.domain, t.oid, t.typtype, t.typbasetype from ground g join pg_catalog.pg_type t on t.oid = g.base
    where g.kind = 'd'
  )
  select g.domain::text as oid, format_type(g.domain, null) as written, format_type(t.oid, null) as base,
    case
      when exists (select from pg_catalog.pg_type e where e.typarray = t.oid and e.typtype <> 'p') then 'array'
      when t.typtype = 'b' then case when t.typcategory = 'S' then 'string' else 'base' end
      when t.typtype = 'e' then 'enum'
      when t.typtype = 'r' then 'range'
      when t.typtype = 'm' then 'multirange'
      when t.typtype = 'c' then 'composite'
      else 'pseudo'
    end as kind,
    (select e.enumlabel from pg_catalog.pg_enum e where e.enumtypid = t.oid order by e.enumsortorder limit 1) as label,
    case
      when t.typtype = 'c' then array(
        select a.atttypid::text from pg_catalog.pg_attribute a
        where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped order by a.attnum)
      when t.typelem <> 0 then array[t.typelem::text]
      else '{}'
    end as parts
  from ground g join pg_catalog.pg_type t on t.oid = g.oid
  where g.kind <> 'd'`

/** Reads the types of a login's routines. @returns looks up an oid */
export async function readTypes(client: Client): Promise<(oid: string) => ArgumentType> {
  type Row = Omit<ArgumentType, 'parts' | 'literals'> & { oid: string; parts: string[] }
  const { rows } = await inRolledBackTransaction(client, [builtInNames], () => client.query<Row>(everyType))
  const byOid = new Map(rows.map((row) => [row.oid, row]))
  const known = new Map<string, ArgumentType>()
  const typeOf = (oid: string): ArgumentType => {
    const before = known.get(oid)
    if (before) return before
    const { written = 'unknown', base = 'unknown', kind = 'pseudo', label = null, parts = [] } = byOid.get(oid) ?? {}
    // A composite never contains itself. Ignores what subscripts return (point: float8).
    const inner = kind === 'array' || kind === 'composite' ? parts.map(typeOf) : []
    const type = { written, base, kind, label, parts: inner, literals: [] }
    known.set(oid, type)
    return type
  }
  return typeOf
}

/** Values to offer to types of which nothing is known. */
const guesses = [
  ...['', '0', '1', 'a', '{}', '[]', '[1]', 'a=>1', '12:00', '10.0.0.1', '08:00:2b:01:02:03'],
  ...['(1,1)', '(1,1),(0,0)', '{1,1,0}', '<(0,0),1>', '0/0', '1:1:', '=r/studio_owner'],
]

/** Finds values of a base type by offering it some: an extension's type may accept one. */
export async function askForLiterals(client: Client, type: ArgumentType): Promise<void> {
  for (const part of type.parts) await askForLiterals(client, part)
  if (type.kind !== 'base' || type.literals.length > 0) return
  for (const guess of guesses) {
    try {
      await inRolledBackTransaction(client, [], () => client.query(`select '${guess}'::${type.written}`))
      type.literals.push(guess)
    } catch (error) {
      stateOf(error)
    }
  }
}

/** An argument in SQL, and the foreign words in it. */
export type Argument = { text: string; supplied: string[] }

/** Nobody has this id. */
export const unusedId = '00000000-0000-4000-8000-00000000dead'

const plain: Record<string, string[]> = {
  boolean: ['true', 'false'],
  date: ['2026-01-01', '1926-01-01'],
  interval: ['1 day', '100 years'],
  oid: ['0'],
  name: ['items', 'id'],
  ...Object.fromEntries(['smallint', 'integer', 'bigint'].map((type) => [type, ['1', '0', '100', '-1']])),
  ...Object.fromEntries(['numeric', 'real', 'double precision'].map((type) => [type, ['1', '0', '1000.5']])),
  ...Object.fromEntries(
    ['with', 'without'].map((zone) => [`timestamp ${zone} time zone`, ['2026-01-01', '-infinity']]),
  ),
  regclass: ['app.items', 'access.users'],
  regtype: ['text'],
}

/** Words from which a function could build a statement. */
const names = ['app.items', 'items', 'name', '%', '', '1=1']

/** Arguments of any type. Those that must share one type are not mixed. */
function anything(base: string, id: string | undefined): string[] {
  const words = ['a', id].map((text) => `'${text}'::text`)
  const some: Record<string, string[]> = {
    anyarray: [`array[${words}]`, `'{}'::text[]`],
    anyrange: [`'(,)'::int4range`],
    anymultirange: [`'{(,)}'::int4multirange`],
    record: [`row(${words})`, 'row(null)'],
    'record[]': [`array[row(${words})]`],
    anyenum: [],
  }
  return some[base.replace('anycompatible', 'any')] ?? words
}

/** Values of a type for a call: null, own values (the id first), and another studio's. */
export function valuesOf(type: ArgumentType, own: Samples, theirs: Samples): Argument[] {
  const { written, base, kind, label, literals } = type
  const typed = (text: string, supplied: string[] = []): Argument => ({
    text: `'${text.replaceAll("'", "''")}'::${written}`,
    supplied,
  })
  const mine = (values: string[]) => values.map((text) => typed(text))
  const foreign = (values: string[]) => values.map((text) => typed(text, [text]))
  const [id] = own.uuids
  const [other] = theirs.uuids
  const object = (studio: string | undefined) => JSON.stringify({ studio_id: studio, id: studio })
  const words = () => [
    ...mine([...names, ...own.texts.slice(0, 8), ...own.uuids.slice(0, 4)]),
    ...foreign([...theirs.texts, ...theirs.uuids.slice(0, 8)]),
  ]
  const known: Record<string, () => Argument[]> = {
    uuid: () => [...mine(own.uuids), ...foreign(theirs.uuids)],
    text: words,
    bytea: () => [...mine([...own.digests, '\\x00']), ...foreign(theirs.digests)],
    jsonb: () => [...mine(['{}', '[]', object(id)]), ...(other === undefined ? [] : [typed(object(other), [other])])],
    'uuid[]': () => [...mine([`{${id}}`]), typed(`{${theirs.uuids.join(',')}}`, theirs.uuids)],
    'text[]': () => [...mine(['{}', '{a,b}']), typed(`{${theirs.uuids.join(',')}}`, theirs.uuids)],
  }
  const ofKind: Partial<Record<ArgumentType['kind'], () => Argument[]>> = {
    string: words,
    enum: () => mine(label === null ? [] : [label]),
    range: () => mine(['(,)', 'empty']),
    multirange: () => mine(['{(,)}', '{}']),
    array: () => [...mine(['{}']), ...made('array[', type, own, theirs, ']')],
    composite: () => made('row(', type, own, theirs, ')'),
  }
  const name = { 'character varying': 'text', character: 'text', json: 'jsonb' }[base] ?? base
  if (kind === 'pseudo') return anything(base, id).map((text) => ({ text, supplied: [] }))
  const numbers = plain[base]
  const values = known[name] ?? (numbers ? () => mine(numbers) : (ofKind[kind] ?? (() => mine(literals))))
  return [{ text: `${nothing}${written}`, supplied: [] }, ...values()]
}

const nothing = 'null::'

/** Whether an argument is a null. */
export function isNull({ text }: Argument): boolean {
  return text.startsWith(nothing)
}

/** Arrays or rows: of nulls, of own values, and of foreign ones. */
function made(
  open: string,
  { written, parts }: ArgumentType,
  own: Samples,
  theirs: Samples,
  close: string,
): Argument[] {
  const lists = parts.map((part) => valuesOf(part, own, theirs))
  const empty: Argument = { text: 'null', supplied: [] }
  const pick = (wanted: (value: Argument) => boolean) =>
    lists.map((values) => values.find((value) => !isNull(value) && wanted(value)) ?? values[1] ?? empty)
  return [
    lists.map(() => empty),
    pick(({ supplied }) => supplied.length === 0),
    pick(({ supplied }) => supplied.length > 0),
  ].map((values) => ({
    text: `${open}${values.map(({ text }) => text).join(', ')}${close}::${written}`,
    supplied: values.flatMap(({ supplied }) => supplied),
  }))
}

/** Combinations of arguments: all, or `most`, with each value at least once. */
export function combinations(lists: readonly Argument[][], most: number): Argument[][] {
  const all = lists.reduce((product, list) => product * list.length, 1)
  if (all <= most)
    return lists.reduce<Argument[][]>((rows, list) => rows.flatMap((row) => list.map((one) => [...row, one])), [[]])
  // The step differs by argument, so the same two values seldom meet twice.
  return Array.from({ length: most }, (_, round) =>
    lists.map((list, place) => list[(round + place * Math.floor(round / list.length)) % list.length] as Argument),
  )
}
