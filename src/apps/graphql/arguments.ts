/**
 * Lists are paged only by cursors: an offset makes the database read and discard any number of rows that a client names.
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
    },
  },
}
