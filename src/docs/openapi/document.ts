import { type Operation, tags } from '../../api/operation.ts'
import { operations, prefix } from '../../api/operations.ts'
import { headerComponents } from './headers.ts'
import { type Addresses, type DescriptionOptions, informationOf } from './information.ts'
import { responseComponents, responsesOf } from './responses.ts'
import { componentSchemas, parameterComponents, parametersOf } from './schemas.ts'

/** An OpenAPI document as JSON. Do not change it. */
export type OpenApiDocument = ReturnType<typeof describeApi>

/** The OpenAPI 3.1 description of v1, from the operations and the schemas that tests validate
 * responses against.
 * Serves: "The machine-readable description is OpenAPI 3.1". */
export function describeApi(options: DescriptionOptions) {
  const { publicUrl, docsUrl } = options
  return {
    openapi: '3.1.0',
    info: informationOf(options),
    servers: [{ url: `${publicUrl}${prefix}`, description: 'Studio Inventory', 'x-internal': false }],
    externalDocs: { description: 'The interactive reference, with a guide to the first call.', url: docsUrl },
    security: [{ personal_access_token: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(operations.map((operation) => [operation.path, pathOf(operation, options)])),
    components: {
      securitySchemes: { personal_access_token: securityScheme },
      schemas: componentSchemas(),
      parameters: parameterComponents(),
      headers: headerComponents(options),
      responses: responseComponents(options),
    },
  }
}

const securityScheme = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'svc_<tier>_<secret>',
  description:
    'A personal access token: `svc_pro_` or `svc_studio_` and 32 letters and digits. Owners and admins of a studio create it in the app, where ' +
    'it is shown once; it reads the data of that studio and can be revoked at any time. The tier in the token is for display only.',
}

function pathOf(operation: Operation, addresses: Addresses): Record<string, object> {
  const { id, summary, description, tag } = operation
  return {
    get: {
      operationId: id,
      summary,
      description,
      tags: [tag],
      parameters: parametersOf(operation),
      responses: responsesOf(operation, addresses),
    },
  }
}
