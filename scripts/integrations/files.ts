import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { airbyteManifest, manifestFile } from './airbyte.ts'
import { brunoFiles } from './bruno.ts'
import { openApi20 } from './openapi-2.0.ts'
import { type Json, openApi30 } from './openapi-3.0.ts'
import { postmanCollection } from './postman.ts'
import { connectorDefinition, connectorProperties } from './power-automate.ts'
import { descriptionFile, readCollection } from './requests.ts'

export const jsonOf = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/** The collections and the streams of Airbyte, made from docs/openapi.yaml: texts by path. */
export function collectionFiles(): Record<string, string> {
  const collection = readCollection()
  const bruno = Object.entries(brunoFiles(collection)).map(([name, text]) => [
    `integrations/bruno/collection/${name}`,
    text,
  ])
  return {
    'integrations/postman/studio-inventory.postman_collection.json': jsonOf(postmanCollection(collection)),
    ...Object.fromEntries(bruno),
    [manifestFile]: airbyteManifest(),
  }
}

/** The description in older versions of OpenAPI, and the connector that is made from it. */
export function olderFiles(): Record<string, string> {
  const older = openApi30(parse(readFileSync(descriptionFile, 'utf8')) as Json)
  const oldest = openApi20(older)
  return {
    'docs/openapi-3.0.json': jsonOf(older),
    'docs/openapi-2.0.json': jsonOf(oldest),
    'integrations/power-automate/apiDefinition.swagger.json': jsonOf(connectorDefinition(oldest)),
    'integrations/power-automate/apiProperties.json': jsonOf(connectorProperties()),
  }
}
