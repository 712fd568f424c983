import { brunoFiles } from './bruno.ts'
import { postmanCollection } from './postman.ts'
import { readCollection } from './requests.ts'

export const jsonOf = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/** The collections, made from docs/openapi.yaml: texts by their path in the project. */
export function collectionFiles(): Record<string, string> {
  const collection = readCollection()
  const bruno = Object.entries(brunoFiles(collection)).map(([name, text]) => [
    `integrations/bruno/collection/${name}`,
    text,
  ])
  return {
    'integrations/postman/studio-inventory.postman_collection.json': jsonOf(postmanCollection(collection)),
    ...Object.fromEntries(bruno),
  }
}
