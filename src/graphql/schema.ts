import { PgAggregatesPreset } from '@graphile/pg-aggregates'
import { makeSchema } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { type GrafastInputFieldConfig, SafeError } from 'postgraphile/grafast'
import type { GraphQLSchema } from 'postgraphile/graphql'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { extendSchema } from 'postgraphile/utils'
import { PostGraphileConnectionFilterPreset } from 'postgraphile-plugin-connection-filter'
import type { Pool } from '../database/pool.ts'
import { aggregatesPlugin, groupsPlugin } from './aggregates.ts'
import { limits } from './limits.ts'
import { orderingPlugin } from './ordering.ts'
import { tagsPlugin } from './tags.ts'

/** The comparisons: by order, and texts also by a part of them. */
const operators = [
  ...['isNull', 'equalTo', 'notEqualTo', 'in', 'notIn', 'lessThan', 'lessThanOrEqualTo', 'greaterThan'],
  ...['greaterThanOrEqualTo', 'includesInsensitive', 'startsWithInsensitive'],
]

/** The comparisons with a part of a text. */
const patterns = ['includesInsensitive', 'startsWithInsensitive']

/** The specification's names in camel case: `items` for `allItems`, `id` for `rowId`. */
const namingPlugin: GraphileConfig.Plugin = {
  name: 'StudioInventoryNaming',
  version: '1.0.0',
  inflection: {
    replace: {
      builtin(previous, _options, text) {
        return text === 'BigFloat' ? 'Decimal' : (previous as (text: string) => string).call(this, text)
      },
      _allRows(_previous, _options, resource) {
        return this.camelCase(this.pluralize(this._singularizedResourceName(resource)))
      },
      _attributeName(_previous, _options, { attributeName, codec }) {
        const name = codec.attributes[attributeName]?.extensions?.tags?.name
        return this.coerceToGraphQLName(typeof name === 'string' ? name : attributeName)
      },
    },
  },
  schema: {
    hooks: {
      GraphQLScalarType(config) {
        if (config.name !== 'Decimal') return config
        return { ...config, description: 'An exact decimal number, as a string: "4200.50". It is never rounded.' }
      },
    },
  },
}

const argumentsPlugin: GraphileConfig.Plugin = {
  name: 'StudioInventoryArguments',
  version: '1.0.0',
  schema: {
    hooks: {
      // Only cursors page lists: for an offset, the database would read and discard that many rows.
      GraphQLObjectType_fields_field_args: {
        after: ['PgFirstLastBeforeAfterArgsPlugin'],
        callback(args, _build, { scope }) {
          if (!scope.isPgFieldConnection) return args
          const { offset: _, ...others } = args
          return others
        },
      },
      // The plugin ignores an empty `and` or `or`: a list of no choices would match everything. Of a long
      // pattern PostgreSQL compares each character with every place of a text, past any timeout.
      GraphQLInputObjectType_fields_field(field, _build, { scope }) {
        const { apply } = field as GrafastInputFieldConfig
        const isPattern = patterns.includes(scope.fieldName)
        if (!(isPattern || ['and', 'or'].includes(scope.fieldName)) || apply === undefined) return field
        const checked: GrafastInputFieldConfig = {
          ...field,
          apply(target, input, info) {
            if (Array.isArray(input) && input.length === 0) {
              throw new SafeError(`Empty lists are forbidden in filter argument input: "${scope.fieldName}".`)
            }
            if (isPattern && typeof input === 'string' && input.length > limits.pattern) {
              throw new SafeError(`"${scope.fieldName}" takes at most ${limits.pattern} characters.`)
            }
            return apply(target, input, info)
          },
        }
        return checked
      },
    },
  },
}

/** `account` is the studio's only account, so a record and not a list. */
const accountPlugin = extendSchema((build) => {
  const { account } = build.pgResources
  if (account === undefined) throw new Error('there is no view api_v1.account')
  return {
    typeDefs: /* GraphQL */ `
      extend type Query {
        "The studio's account: plan, billing period, currency, number of items."
        account: Account
      }
    `,
    objects: { Query: { plans: { account: () => account.find().single() } } },
  }
})

/** PostGraphile's preset for the views of `api_v1`, read only. The database's pool is in
 * `presetFor`.
 * Serves: "lists with cursors, filters and ordering, relations …; aggregates …; Read only (no
 * mutation, no subscription)". */
const preset: GraphileConfig.Preset = {
  extends: [PostGraphileAmberPreset, PgAggregatesPreset, PostGraphileConnectionFilterPreset],
  plugins: [tagsPlugin, namingPlugin, aggregatesPlugin, groupsPlugin, argumentsPlugin, orderingPlugin, accountPlugin],
  disablePlugins: [
    'MutationPlugin',
    'SubscriptionPlugin',
    'QueryQueryPlugin',
    'NodePlugin',
    'PgTableNodePlugin',
    'AddNodeInterfaceToSuitableTypesPlugin',
    'NodeAccessorPlugin',
    'RegisterQueryNodePlugin',
    'PgConditionArgumentPlugin',
    'PgConditionCustomFieldsPlugin',
    'PgConnectionArgFilterBackwardRelationsPlugin',
  ],
  schema: {
    defaultBehavior:
      '-insert -update -delete -list -attribute:groupBy -aggregates:filterBy -aggregates:orderBy ' +
      '-resource:groupedAggregates:having -aggregate:filterBy -aggregate:orderBy -havingBy',
    connectionFilterAllowedOperators: operators,
    connectionFilterArrays: false,
    connectionFilterComputedColumns: false,
    connectionFilterSetofFunctions: false,
    dontSwallowErrors: true,
  },
  grafast: { explain: false, timeouts: { planning: 1_000, execution: 15_000 } },
}

/** The preset on a database. PostGraphile itself uses the pool only to read the catalog:
 * `executionPlugin` gives each request's plans a transaction.
 * @param pool the pool of studio_graphql */
export function presetFor(pool: Pool): GraphileConfig.Preset {
  type Service = Parameters<typeof makePgService>[0]
  // Of a pool, PostGraphile calls `connect` alone, as long as nothing subscribes.
  const connections = { connect: () => pool.connect() } as Service['pool'] & {}
  return { extends: [preset], pgServices: [makePgService({ pool: connections, schemas: ['api_v1'], pubsub: false })] }
}

/** How many plans of queries to keep for the next time. The largest takes 10 MB. */
const keptPlans = 10

/** Builds the schema from the views that studio_graphql may read.
 * @throws what the database throws */
export async function buildSchema(pool: Pool): Promise<GraphQLSchema> {
  const { schema } = await makeSchema(presetFor(pool))
  Object.assign(schema.extensions, {
    grafast: { ...schema.extensions.grafast, operationsCacheMaxLength: keptPlans },
  })
  return schema
}
