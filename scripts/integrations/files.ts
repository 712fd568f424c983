import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { openApi20 } from './openapi-2.0.ts'
import { type Json, openApi30 } from './openapi-3.0.ts'
import { postmanCollection } from './postman.ts'
import { connectorDefinition, connectorProperties } from './power-automate.ts'
import { descriptionFile, readCollection } from './requests.ts'

export const jsonOf = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/** The files that are made from docs/openapi.yaml: texts by path. */
export function filesOfDescription(): Record<string, string> {
  const older = openApi30(parse(readFileSync(descriptionFile, 'utf8')) as Json)
  return {
    'docs/openapi-3.0.json': jsonOf(older),
    'integrations/postman/studio-inventory.postman_collection.json': jsonOf(postmanCollection(readCollection())),
    'integrations/power-automate/apiDefinition.swagger.json': jsonOf(connectorDefinition(openApi20(older))),
    'integrations/power-automate/apiProperties.json': jsonOf(connectorProperties()),
  }
}
