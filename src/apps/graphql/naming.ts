/**
 * Names as users of the API expect them: the words of the specification in camel case, `items` and not `allItems`,
 * `id` and not `rowId`.
 */
export const namingPlugin: GraphileConfig.Plugin = {
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
