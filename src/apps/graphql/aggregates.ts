import { type PgCodec, TYPES } from 'postgraphile/@dataplan/pg'
import { type SQL, sql } from 'postgraphile/pg-sql2'

/** The aggregates there are: sum and average of numbers, smallest and largest of numbers and days, number of values. */
const kept: readonly string[] = ['sum', 'average', 'min', 'max', 'distinctCount']

const temporal: readonly string[] = ['date', 'timestamptz']

/** A day counts for its month or its year: groups then have the first day of it as their key. */
const spans = ['month', 'year'] as const

export const aggregatesPlugin: GraphileConfig.Plugin = {
  name: 'StudioInventoryAggregates',
  version: '1.0.0',
  after: ['PgAggregatesSpecsPlugin'],
  schema: {
    hooks: {
      build(build) {
        build.pgAggregateSpecs = (build.pgAggregateSpecs ?? [])
          .filter(({ id }) => kept.includes(id))
          .map((spec) => {
            if (spec.id !== 'min' && spec.id !== 'max') return spec
            const isSuitableType = (codec: PgCodec) => spec.isSuitableType(codec) || temporal.includes(codec.name)
            return { ...spec, isSuitableType }
          })
        build.pgAggregateGroupBySpecs = spans.map((span) => ({
          id: `truncated-to-${span}`,
          isSuitableType: (codec: PgCodec) => codec.name === 'date',
          // Through a timestamp without time zone: a day is never shifted.
          sqlWrap: (column: SQL) => sql`pg_catalog.date_trunc(${sql.literal(span)}, ${column}::timestamp)::date`,
          sqlWrapCodec: () => TYPES.date,
        }))
        return build
      },
      // A day by itself is no grouping: there are too many of them.
      GraphQLEnumType_values(values, _build, { scope }) {
        if (!('isPgAggregateGroupEnum' in scope)) return values
        const suffix = '_TRUNCATED_TO_MONTH'
        const whole = Object.keys(values).filter((name) => `${name}${suffix}` in values)
        return Object.fromEntries(Object.entries(values).filter(([name]) => !whole.includes(name)))
      },
    },
  },
}
