import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

/** An object of Kubernetes, as a manifest has it. */
export type Manifest = { apiVersion: string; kind: string; [field: string]: unknown }

const folder = join(import.meta.dirname, '../../docs/deployment/kubernetes')

/** The objects of docs/deployment/kubernetes, by file and place, without kubectl's
 * kustomization. */
export async function readManifests(): Promise<Map<string, Manifest>> {
  const manifests = new Map<string, Manifest>()
  for (const file of (await readdir(folder)).toSorted()) {
    if (file === 'kustomization.yaml') continue
    const documents = parseAllDocuments(await readFile(join(folder, file), 'utf8'), { merge: true })
    for (const document of documents) {
      const [error] = document.errors
      if (error) throw new Error(`${file}: ${error.message}`)
      const manifest = document.toJS() as Manifest
      manifests.set(`${file}: ${manifest.kind}`, manifest)
    }
  }
  return manifests
}
