/** How a list without a key is ordered unless asked otherwise: by what its records belong to. */
const orderWithoutKey: readonly string[] = ['ITEM_ID_ASC', 'POLICY_ID_ASC']

/**
 * Lists are paged by cursors alone: an offset makes the database read and throw away as many rows as somebody likes to
 * name. Each list has an order.
 */
export const argumentsPlugin: GraphileConfig.Plugin = {
  name: 'StudioInventoryArguments',
  version: '1.0.0',
  schema: {
    hooks: {
      GraphQLObjectType_fields_field_args: {
        after: ['PgFirstLastBeforeAfterArgsPlugin'],
        callback(args, _build, { scope }) {
          if (!scope.isPgFieldConnection) return args
          const { offset: _, ...others } = args
          return others
        },
      },
      GraphQLObjectType_fields_field_args_arg: {
        after: ['PgConnectionArgOrderByDefaultValuePlugin'],
        callback(argument, build, { scope }) {
          const resource = scope.pgFieldResource
          if (scope.argName !== 'orderBy' || !scope.isPgFieldConnection || !resource || resource.uniques.length > 0) {
            return argument
          }
          const orders = build.getTypeByName(build.inflection.orderByType(build.inflection.tableType(resource.codec)))
          if (!(orders instanceof build.graphql.GraphQLEnumType)) return argument
          return { ...argument, defaultValue: orderWithoutKey.map((name) => orders.getValue(name)?.value) }
        },
      },
      GraphQLEnumType_values: {
        after: ['PgConnectionArgOrderByPlugin'],
        callback(values, _build, { scope }) {
          if (!('isPgRowSortEnum' in scope)) return values
          const { NATURAL: _, ...others } = values
          return others
        },
      },
    },
  },
}
