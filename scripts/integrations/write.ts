import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { collectionFiles, olderFiles } from './files.ts'
import { project } from './requests.ts'

/** `npm run generate` calls this. It writes everything in integrations/ and docs/ that follows from
 * docs/openapi.yaml. */
rmSync(join(project, 'integrations/bruno/collection'), { recursive: true, force: true })
for (const [file, text] of Object.entries({ ...collectionFiles(), ...olderFiles() })) {
  mkdirSync(dirname(join(project, file)), { recursive: true })
  writeFileSync(join(project, file), text)
  console.log(file)
}
