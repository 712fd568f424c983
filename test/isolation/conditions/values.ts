/** A value of each type to compare with a column; null for other types. */
export const values: Record<string, string> = {
  boolean: 'true',
  smallint: '1',
  integer: '1',
  bigint: '1',
  'double precision': '1.5',
  numeric: '1.5',
  text: `'a'`,
  'character varying': `'a'`,
  character: `'a'`,
  name: `'a'`,
  bytea: `'\\x61'`,
  uuid: `'00000000-0000-4000-8000-000000000000'`,
  date: `'2020-01-01'`,
  'timestamp without time zone': `'2020-01-01 10:00'`,
  'timestamp with time zone': `'2020-01-01 10:00+00'`,
  interval: `'1 day'`,
  json: `'{"a": 1}'`,
  jsonb: `'{"a": 1}'`,
  jsonpath: `'$.a'`,
  inet: `'127.0.0.1'`,
  int4range: `'[1,5)'`,
  numrange: `'[1,5)'`,
  daterange: `'[2020-01-01,2021-01-01)'`,
  tstzrange: `'[2020-01-01,2021-01-01)'`,
  'text[]': `'{a}'`,
  'integer[]': `'{1}'`,
  'numeric[]': `'{1.5}'`,
  'uuid[]': `'{00000000-0000-4000-8000-000000000000}'`,
  'date[]': `'{2020-01-01}'`,
  'timestamp with time zone[]': `'{2020-01-01 10:00+00}'`,
}

/** The value as an expression of its type. */
export function constantOf(type: string): string {
  return `${values[type] ?? 'null'}::${type}`
}
