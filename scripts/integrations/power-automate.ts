import type { Json } from './openapi-3.0.ts'

/** Shows a timestamp a little later than it is, so that "at or after" does not return the newest record again. */
const since = "@{replace(triggerBody().data[0].updated_at, 'Z', '001Z')}"

const route = '/triggers/items'

/** The custom connector's description: that of 2.0, with the trigger, which 2.0 wants at a path of its own. */
export function connectorDefinition(swagger: Json): Json {
  const {
    externalDocs: _,
    paths,
    ...rest
  } = structuredClone(swagger) as Json & { paths: Record<string, { get: Json }> }
  const listed = paths['/items']?.get
  if (listed === undefined) throw new Error('there is no /items')
  const trigger = {
    operationId: 'item_updated',
    summary: 'When an item is added or updated',
    description: 'Starts the flow for every item that was added or has changed since the last poll.',
    tags: ['Items'],
    'x-ms-trigger': 'batch',
    'x-ms-trigger-hint': 'Change an item to see it work.',
    parameters: [
      { name: 'per_page', in: 'query', type: 'integer', required: true, default: 100, 'x-ms-visibility': 'internal' },
      { name: 'updated_since', in: 'query', type: 'string', 'x-ms-visibility': 'internal' },
      { $ref: '#/parameters/category' },
      { $ref: '#/parameters/coverage_state' },
    ],
    responses: listed.responses,
  }
  return { ...rest, paths: { [route]: { get: trigger }, ...paths } }
}

/** The connector's settings: what is asked for a connection, and how the trigger polls. */
export function connectorProperties(): Json {
  return {
    properties: {
      connectionParameters: {
        api_key: {
          type: 'securestring',
          uiDefinition: {
            displayName: 'Token, with the word Bearer before it',
            description: 'Bearer svc_…',
            tooltip: 'The word Bearer, a space, and the token from the console',
            constraints: { tabIndex: 2, clearText: false, required: 'true' },
          },
        },
      },
      iconBrandColor: '#1f4e5f',
      capabilities: [],
      policyTemplateInstances: [
        {
          templateId: 'routerequesttoendpoint',
          title: 'The trigger reads /items',
          parameters: {
            'x-ms-apimTemplateParameter.newPath': '/items',
            'x-ms-apimTemplateParameter.httpMethod': 'GET',
            'x-ms-apimTemplate-operationName': ['item_updated'],
          },
        },
        {
          templateId: 'pollingtrigger',
          title: 'What has changed since the newest item of the last poll',
          type: 'PollingTrigger',
          parameters: {
            'x-ms-apimTemplateParameter.triggerConfig': { updated_since: since },
            'x-ms-apimTemplateParameter.triggerDataPath': '@triggerBody().data',
            'x-ms-apimTemplate-operationName': ['item_updated'],
          },
        },
      ],
    },
  }
}
