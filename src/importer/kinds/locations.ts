import { locationTypes } from '../../domain/vocabulary.ts'
import { countryCode, key, oneOf, text, yesNo } from '../cells.ts'
import { externalKey, type Kind, type Rule, rowsOf } from './kind.ts'

const table = { table: 'locations', key: 'external_key' } as const

const existing = `app.locations as l where l.studio_id = (select access.current_studio_id())`

/** "Available on the Studio plan; the Pro plan has one implicit location." */
const planRule: Rule = {
  reads: ['external_key'],
  errors: () => `
    select r.line, 'external_key', r.external_key, 'is a new location, and more than one needs the Studio plan',
      'on other plans import one row with is_default yes: the location that the studio has'
    from pg_temp.import_rows as r
    where r.existing_id is null and access.current_plan() is distinct from 'studio'`,
}

const oneDefault: Rule = {
  reads: ['is_default'],
  errors: () => `
    select r.line, 'is_default', 'yes', 'makes a second default location; the first is on line ' || r.first,
      'leave it to one row'
    from (select x.line, min(x.line) over () as first from pg_temp.import_rows x where x.is_default) as r
    where r.line <> r.first
    union all
    select r.line, 'is_default', 'no', 'takes the default away from the location that has it',
      'a studio needs one default location: write yes in another row'
    from ${rowsOf(table, ['is_default'])}
    where existing.is_default and not r.is_default
      and not exists (select from pg_temp.import_rows x where x.is_default)`,
}

/** Climbs from each row to its future parents, and finds those that reach themselves. */
const noCircle: Rule = {
  reads: ['parent'],
  errors: () => `
    with recursive tree as (
      select x.id, x.parent_id from pg_temp.import_rows x
      union all
      select l.id, l.parent_id from ${existing} and not exists (select from pg_temp.import_rows x where x.existing_id = l.id)
    ), climb as (
      select r.line, r.id as begun, r.parent_id as reached from pg_temp.import_rows r where r.parent_id is not null
      union
      select c.line, c.begun, t.parent_id
      from climb c join tree t on t.id = c.reached
      where c.reached <> c.begun and t.parent_id is not null
    )
    select r.line, 'parent', r.parent, 'makes the location a part of itself', 'let it be part of another, or of none'
    from climb c join pg_temp.import_rows r on r.line = c.line
    where c.reached = c.begun`,
}

export const locations: Kind = {
  name: 'locations',
  ...table,
  nouns: ['location', 'locations'],
  otherKeys: ['name'],
  columns: [
    { ...externalKey, example: 'ROOM-A' },
    { name: 'name', cell: text, required: true, description: 'Name.', example: 'Live room A' },
    { name: 'description', cell: text, description: 'Free text.', example: 'Wooden floor, 60 m²' },
    { name: 'type', cell: oneOf(locationTypes), description: 'Kind of place.', example: 'room' },
    {
      name: 'parent',
      cell: key,
      target: 'parent_id',
      refersTo: 'locations',
      description: 'The location it is part of: external key, id or name, also of a row of this file.',
      example: 'HOUSE',
    },
    { name: 'address_line1', cell: text, description: 'Address.', example: '12 Mill Lane' },
    { name: 'address_line2', cell: text, description: 'Address, continued.', example: '' },
    { name: 'city', cell: text, description: 'City.', example: 'Leeds' },
    { name: 'region', cell: text, description: 'State, county or region.', example: 'West Yorkshire' },
    { name: 'postal_code', cell: text, description: 'Postal code.', example: 'LS1 4AB' },
    { name: 'country_code', cell: countryCode, description: 'Country.', example: 'GB' },
    {
      name: 'is_default',
      cell: yesNo,
      whenEmpty: 'false',
      description: "Whether it is the studio's default location; one is.",
      example: 'no',
    },
  ],
  archivable: false,
  rules: [planRule, oneDefault, noCircle],
  settle: (layout) => [
    // The studio's original location becomes the first imported default location.
    ...(layout.has('is_default')
      ? [
          `update pg_temp.import_rows as r set existing_id = l.id from ${existing}
             and l.is_default and l.external_key is null and r.is_default and r.existing_id is null`,
        ]
      : []),
    // Rows of a file can name each other as parents, so new ones get their ids first.
    'update pg_temp.import_rows as r set id = coalesce(r.existing_id, r.id, pg_catalog.gen_random_uuid())',
  ],
  release: (layout) =>
    layout.has('is_default')
      ? [
          `update app.locations as l set is_default = false
           where l.studio_id = (select access.current_studio_id()) and l.is_default
             and exists (select from pg_temp.import_rows r where r.is_default and r.existing_id is distinct from l.id)`,
        ]
      : [],
}
