import { type PgCodecWithAttributes, type PgSelectQueryBuilder, TYPES } from 'postgraphile/@dataplan/pg'
import { constant } from 'postgraphile/grafast'
import { sql } from 'postgraphile/pg-sql2'

type Direction = 'ASC' | 'DESC'

/** The default order of a list without a key. */
const orderWithoutKey: readonly string[] = ['ITEM_ID_ASC', 'POLICY_ID_ASC']

/** Orders by a column, null last in both directions. A nullable column is first ordered by
 * whether it is null, as cursors of `@dataplan/pg` 1.1 expect nulls elsewhere and lose records. */
function orderBy(builder: PgSelectQueryBuilder, codec: PgCodecWithAttributes, column: string, direction: Direction) {
  const attribute = codec.attributes[column]
  if (attribute === undefined) throw new Error(`there is no column ${column} to order by`)
  const fragment = sql`${builder.alias}.${sql.identifier(column)}`
  const nullable = attribute.extensions?.tags?.notNull !== true
  if (nullable) {
    builder.orderBy({ fragment: sql`(${fragment} is null)`, codec: TYPES.boolean, direction: 'ASC', nullable: false })
  }
  builder.orderBy({ fragment, codec: attribute.codec, direction, nullable })
}

/** Gives each list a complete order, so that cursors work. Records without a key (assignments)
 * are ordered by all shown columns; equal ones share a cursor. */
export const orderingPlugin: GraphileConfig.Plugin = {
  name: 'StudioInventoryOrdering',
  version: '1.0.0',
  schema: {
    hooks: {
      GraphQLEnumType_values: {
        after: ['PgConnectionArgOrderByPlugin', 'PgOrderAllAttributesPlugin'],
        callback(values, build, { scope }) {
          if (!('isPgRowSortEnum' in scope) || !scope.pgCodec?.attributes) return values
          const codec = scope.pgCodec as PgCodecWithAttributes
          const { NATURAL: _, ...ordered } = values
          for (const column of Object.keys(codec.attributes)) {
            for (const direction of ['ASC', 'DESC'] as const) {
              const variant = direction === 'ASC' ? 'asc' : 'desc'
              const name = build.inflection.orderByAttributeEnum({ codec, attributeName: column, variant })
              if (ordered[name] === undefined || isKey(build.pgTableResource(codec)?.uniques, column)) continue
              const apply = (builder: PgSelectQueryBuilder) => orderBy(builder, codec, column, direction)
              ordered[name] = { ...ordered[name], extensions: { grafast: { apply } } }
            }
          }
          return ordered
        },
      },
      GraphQLObjectType_fields_field_args_arg: {
        after: ['PgConnectionArgOrderByDefaultValuePlugin'],
        callback(argument, build, { scope }) {
          const resource = scope.pgFieldResource
          if (scope.argName !== 'orderBy' || !scope.isPgFieldConnection || !resource || resource.uniques.length > 0) {
            return argument
          }
          const codec = resource.codec as PgCodecWithAttributes
          const orders = build.getTypeByName(build.inflection.orderByType(build.inflection.tableType(codec)))
          const applyPlan = argument.applyPlan
          if (!(orders instanceof build.graphql.GraphQLEnumType) || applyPlan === undefined) return argument
          return {
            ...argument,
            defaultValue: orderWithoutKey.map((name) => orders.getValue(name)?.value),
            applyPlan(parent, $connection, value, info) {
              applyPlan(parent, $connection, value, info)
              const complete = (builder: PgSelectQueryBuilder) => {
                for (const column of Object.keys(codec.attributes)) orderBy(builder, codec, column, 'ASC')
                builder.setOrderIsUnique()
              }
              $connection.getSubplan().apply(constant(complete, false))
            },
          }
        },
      },
    },
  },
}

function isKey(uniques: readonly { attributes: readonly string[] }[] | undefined, column: string): boolean {
  return uniques?.some(({ attributes }) => attributes.length === 1 && attributes[0] === column) ?? false
}
