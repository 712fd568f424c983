import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Manifest } from '../support/kubernetes.ts'
import { runTool } from './tools.ts'

/** What is wrong with an object by the JSON Schema of its kind; undefined: nothing. */
export async function objectionTo(manifest: Manifest): Promise<string | undefined> {
  const { apiVersion, kind } = manifest
  const models = await import(fileURLToPath(import.meta.resolve(modelsOf(apiVersion))))
  const Model = models[kind]
  if (Model === undefined) return `${apiVersion} has no ${kind}`
  try {
    new Model(manifest).validate()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Where the package has the kinds of an API version. */
const modelsOf = (apiVersion: string): string =>
  apiVersion.startsWith('gateway.') ? `@kubernetes-models/gateway-api/${apiVersion}` : `kubernetes-models/${apiVersion}`

/** TypeScript's errors about fields that the types of their kinds lack; empty without any. */
export async function unknownFields(manifests: readonly Manifest[]): Promise<string> {
  // In this folder, where the types are found.
  await using folder = await mkdtempDisposable(join(import.meta.dirname, 'manifests-'))
  const lines = manifests.map(({ apiVersion, kind, ...rest }, index) => {
    const name = `${kind}${index}`
    return `import { ${kind} as ${name} } from '${modelsOf(apiVersion)}'\nnew ${name}(${JSON.stringify(rest)})`
  })
  await writeFile(join(folder.path, 'manifests.ts'), lines.join('\n'))
  const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, module: 'nodenext', types: [] }
  await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const { status, output } = await runTool('tsc', ['--project', folder.path])
  return status === 0 ? '' : output
}
