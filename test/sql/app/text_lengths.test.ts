import { describe, expect, it } from 'vitest'
import { type Studio, useSql } from '../support.ts'

const sql = useSql()

type Length = { relation: string; name: string; characters: number }

/** What nobody types: the service or a trigger writes it from what has a length. */
const derived = [
  ...['app.items document', 'app.items words', 'app.items short_tags', 'app.maintenance_records document'],
  ...['app.maintenance_records item_name', 'app.sync_state history', 'access.tokens prefix'],
  ...['access.request_activity endpoint', 'access.analyst_statements text', 'access.import_choices kind'],
  ...['access.jobs name', 'access.jobs failure'],
  ...['token_name', 'token_prefix', 'detail'].map((name) => `access.audit_log ${name}`),
]

describe('every text that people write', () => {
  it('has a length: a column has a check of it, or of the words that it may have', async () => {
    const texts = await sql.admin.rows<{ place: string }>(
      `select n.nspname || '.' || r.relname || ' ' || a.attname as place
       from pg_attribute a join pg_class r on r.oid = a.attrelid join pg_namespace n on n.oid = r.relnamespace
       where n.nspname in ('app', 'access') and r.relkind = 'r' and a.attnum > 0 and not a.attisdropped
         and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'varchar'::regtype)
         -- A list of words, or two letters.
         and not exists (select from pg_constraint c where c.conrelid = r.oid and c.contype = 'c' and c.conkey = array[a.attnum]
           and (strpos(pg_get_constraintdef(c.oid), '(' || a.attname || ' = ANY (ARRAY[') > 0
             or strpos(pg_get_constraintdef(c.oid), a.attname || ' ~ ''^[A-Z]{2}$''') > 0))
         -- Another table has the word, and checks it.
         and not exists (select from pg_constraint c where c.conrelid = r.oid and c.contype = 'f' and c.conkey = array[a.attnum])
         and r.relname not in ('categories', 'closed_values', 'item_counts', 'maintenance_counts', 'count_changes', 'item_valuations')`,
    )
    const lengths = await sql.admin.rows<Length>('select * from access.text_lengths()')
    const bounded = lengths.map(({ relation, name }) => `${relation} ${name}`)
    const unbounded = texts.map(({ place }) => place).filter((place) => !bounded.includes(place))
    expect(unbounded.toSorted()).toEqual(derived.toSorted())
    expect(texts.length).toBeGreaterThan(40)
  })

  it('is told with its length to the import', async () => {
    const lengths = await sql.writer.rows<Length>('select * from access.text_lengths()')
    expect(lengths).toContainEqual({ relation: 'app.items', name: 'name', characters: 500 })
    expect(lengths).toContainEqual({ relation: 'app.items', name: 'tags', characters: 10_000 })
    for (const { characters } of lengths) expect(characters).toBeGreaterThan(0)
  })
})

describe('a text that is too long', () => {
  const write = async (studio: Studio, columns: object) =>
    studio.add('items', columns as Parameters<Studio['add']>[1]).then(
      () => 'written',
      ({ code, constraint }) => `${code} ${constraint}`,
    )

  it('is refused under the name of its column, and one of the greatest length is written', async () => {
    const studio = await sql.studio()
    const tags = [...Array.from({ length: 100 }, () => 'é'.repeat(98)), 'x'.repeat(100)]
    expect(await write(studio, { name: 'é'.repeat(500), external_key: 'é'.repeat(500), tags })).toBe('written')
    expect(await write(studio, { name: 'é'.repeat(501) })).toBe('23514 length_of_name')
    expect(await write(studio, { tags: [...tags, 'x'] })).toBe('23514 length_of_tags')
  })
})
