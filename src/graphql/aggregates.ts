import { type PgCodec, type PgSelectStep, TYPES } from 'postgraphile/@dataplan/pg'
import { lambda } from 'postgraphile/grafast'
import { type SQL, sql } from 'postgraphile/pg-sql2'
import { limits } from './limits.ts'

/** The aggregates: sum and average of numbers, least and greatest value, number of values. */
const kept: readonly string[] = ['sum', 'average', 'min', 'max', 'distinctCount']

const temporal: readonly string[] = ['date', 'timestamptz']

/** Groups days by month or year. The key of a group is its first day. */
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
          // A timestamp without time zone, so that no day shifts.
          sqlWrap: (column: SQL) => sql`pg_catalog.date_trunc(${sql.literal(span)}, ${column}::timestamp)::date`,
          sqlWrapCodec: () => TYPES.date,
        }))
        return build
      },
      // Days alone make too many groups.
      GraphQLEnumType_values(values, _build, { scope }) {
        if (!('isPgAggregateGroupEnum' in scope)) return values
        const suffix = '_TRUNCATED_TO_MONTH'
        const whole = Object.keys(values).filter((name) => `${name}${suffix}` in values)
        return Object.fromEntries(Object.entries(values).filter(([name]) => !whole.includes(name)))
      },
    },
  },
}

/** The part of a query for one value of `groupBy`. */
type Group = { fragment: SQL }
type Apply = (query: { alias: SQL; groupBy(group: Group): void }) => void

/** Sorts groups by their keys, null last, and pages them by `first` and `offset`. An offset
 * costs nothing, because PostgreSQL makes all groups for any page. Without `first`,
 * `checkGroups` allows `limits.groups` of them. */
export const groupsPlugin: GraphileConfig.Plugin = {
  name: 'StudioInventoryGroups',
  version: '1.0.0',
  schema: {
    hooks: {
      GraphQLObjectType_fields_field: {
        callback(field, build, { scope }) {
          if (scope.fieldName !== 'groupedAggregates' || field.plan === undefined) return field
          const { GraphQLInt, getNamedType } = build.graphql
          const groupBy = field.args?.groupBy?.type
          const groupings = groupBy && getNamedType(groupBy)
          if (!(groupings instanceof build.graphql.GraphQLEnumType)) return field
          const { plan } = field
          return {
            ...field,
            description: `The records in groups, in the order of their keys, null last. At most ${limits.groups}: read more in pages.`,
            args: {
              ...field.args,
              first: { type: GraphQLInt, description: `How many groups to read, at most ${limits.groups}.` },
              offset: { type: GraphQLInt, description: 'How many groups to skip.' },
            },
            plan($connection, args, info) {
              const $groups = plan($connection, args, info) as unknown as PgSelectStep
              // One more than allowed, so that `checkGroups` sees the excess.
              $groups.setFirst(lambda(args.getRaw('first'), (first: number | null) => first ?? limits.groups + 1))
              $groups.setOffset(lambda(args.getRaw('offset'), (offset: number | null) => offset ?? null))
              const order = (names: unknown) => orderOf(names, $groups.alias, (name) => applyOf(groupings, name))
              const fragment = $groups.deferredSQL(lambda(args.getRaw('groupBy'), order))
              $groups.orderBy({ fragment, codec: build.dataplanPg.TYPES.text, direction: 'ASC' })
              return $groups
            },
          }
        },
      },
    },
  },
}

/** The keys as one row, to order by one expression. */
function orderOf(names: unknown, alias: SQL, apply: (name: unknown) => Apply | undefined): SQL {
  const parts: SQL[] = []
  const groupBy = ({ fragment }: Group) => {
    parts.push(sql`(${fragment} is null)`, sql`${fragment}::pg_catalog.text collate "C"`)
  }
  for (const name of Array.isArray(names) ? names : []) apply(name)?.({ alias, groupBy })
  return parts.length === 0 ? sql`null::pg_catalog.text` : sql.join(parts, ', ')
}

function applyOf(groupings: { getValues(): readonly { value: unknown; extensions: object }[] }, value: unknown) {
  const found = groupings.getValues().find((one) => one.value === value)
  return (found?.extensions as { grafast?: { apply?: Apply } } | undefined)?.grafast?.apply
}
