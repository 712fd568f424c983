import { builtInNames } from '../../../database/client.ts'
import { type Client, discarded, stateOf } from './look.ts'

/** A type of an argument, as values are made for it. */
export type Type = {
  /** Its name as it is written in SQL. */
  written: string
  /** The name of what a domain is made of at bottom; else its own. */
  base: string
  kind: 'base' | 'string' | 'enum' | 'range' | 'multirange' | 'array' | 'composite' | 'pseudo'
  /** The first label of an enum. */
  label: string | null
  /** The type of an array's elements; those of a composite's columns. */
  parts: Type[]
  /** Values that a base type takes, as far as it was asked. */
  literals: string[]
}

/** Every type, domains with what they are made of. */
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

/** Reads the types that a login's routines may take. @returns what an oid stands for */
export async function readTypes(client: Client): Promise<(oid: string) => Type> {
  type Row = Omit<Type, 'parts' | 'literals'> & { oid: string; parts: string[] }
  const { rows } = await discarded(client, [builtInNames], () => client.query<Row>(everyType))
  const byOid = new Map(rows.map((row) => [row.oid, row]))
  const known = new Map<string, Type>()
  const typeOf = (oid: string): Type => {
    const before = known.get(oid)
    if (before) return before
    const { written = 'unknown', base = 'unknown', kind = 'pseudo', label = null, parts = [] } = byOid.get(oid) ?? {}
    // A composite never contains itself. What a base type is subscripted with (point: float8) is no part of a value.
    const inner = kind === 'array' || kind === 'composite' ? parts.map(typeOf) : []
    const type = { written, base, kind, label, parts: inner, literals: [] }
    known.set(oid, type)
    return type
  }
  return typeOf
}

/** What types that nothing else is known of are asked whether they take. */
const guesses = [
  ...['', '0', '1', 'a', '{}', '[]', '[1]', 'a=>1', '12:00', '10.0.0.1', '08:00:2b:01:02:03'],
  ...['(1,1)', '(1,1),(0,0)', '{1,1,0}', '<(0,0),1>', '0/0', '1:1:', '=r/studio_owner'],
]

/** Finds values of a base type by offering it some: whatever an extension calls its type, it may take one. */
export async function askForLiterals(client: Client, type: Type): Promise<void> {
  for (const part of type.parts) await askForLiterals(client, part)
  if (type.kind !== 'base' || type.literals.length > 0) return
  for (const guess of guesses) {
    try {
      await discarded(client, [], () => client.query(`select '${guess}'::${type.written}`))
      type.literals.push(guess)
    } catch (error) {
      stateOf(error)
    }
  }
}
