import { PgAggregatesPreset } from '@graphile/pg-aggregates'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { PostGraphileConnectionFilterPreset } from 'postgraphile-plugin-connection-filter'
import { accountPlugin } from './account.ts'
import { aggregatesPlugin } from './aggregates.ts'
import { argumentsPlugin } from './arguments.ts'
import { groupsPlugin } from './groups.ts'
import { namingPlugin } from './naming.ts'
import { orderingPlugin } from './ordering.ts'
import { tagsPlugin } from './tags.ts'

/** How a value may be compared: by its worth, and texts by a part of them. */
const operators = [
  'isNull',
  'equalTo',
  'notEqualTo',
  'in',
  'notIn',
  'lessThan',
  'lessThanOrEqualTo',
  'greaterThan',
  'greaterThanOrEqualTo',
  'includesInsensitive',
  'startsWithInsensitive',
]

/**
 * What the schema is made of: the views of `api_v1` and nothing else, to be read and never to be changed.
 *
 * Serves: "lists with cursors, filters and ordering, relations …; aggregates …; Read only (no mutation, no subscription)".
 */
export const preset: GraphileConfig.Preset = {
  extends: [PostGraphileAmberPreset, PgAggregatesPreset, PostGraphileConnectionFilterPreset],
  plugins: [tagsPlugin, namingPlugin, aggregatesPlugin, groupsPlugin, argumentsPlugin, orderingPlugin, accountPlugin],
  disablePlugins: [
    'MutationPlugin',
    'SubscriptionPlugin',
    'NodePlugin',
    'PgTableNodePlugin',
    'AddNodeInterfaceToSuitableTypesPlugin',
    'NodeAccessorPlugin',
    'RegisterQueryNodePlugin',
    'PgConditionArgumentPlugin',
    'PgConditionCustomFieldsPlugin',
    'SwallowErrorsPlugin',
    'QueryQueryPlugin',
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
