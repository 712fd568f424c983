import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readConfig } from '../src/config/config.ts'
import { describeApi } from '../src/docs/openapi/document.ts'
import { exampleAddresses } from '../src/docs/openapi/information.ts'
import { yamlOf } from '../src/docs/routes.ts'
import { filesOfDescription } from './integrations/files.ts'
import { descriptionFile, project } from './integrations/requests.ts'

// `npm run generate` writes what is made from src/ and sql/: each step needs the files of the step before. The tests compare the
// same files; with -u, vitest writes them.

/** Lists each file of sql/ in sql/all.sql: a new one after the others of its folder. Drops the lines of files that are gone. */
function listFilesOfSql(): void {
  const folder = join(project, 'sql')
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = found.filter((file) => file.endsWith('.sql') && file !== 'all.sql').toSorted()
  const included = (line: string) => /^--!include (\S+)$/.exec(line)?.[1]
  const lines = readFileSync(join(folder, 'all.sql'), 'utf8').split('\n')
  const kept = lines.filter((line) => files.includes(included(line) ?? files[0] ?? ''))
  for (const file of files.filter((each) => !kept.some((line) => included(line) === each))) {
    const last = kept.findLastIndex((line) => dirname(included(line) ?? '') === dirname(file))
    if (last < 0)
      throw new Error(
        `sql/all.sql has no file of sql/${dirname(file)}/ yet: add --!include ${file} where it can be installed`,
      )
    kept.splice(last + 1, 0, `--!include ${file}`)
    console.log(`sql/all.sql: lists ${file} after the others of its folder; move the line up if they need it`)
  }
  writeFileSync(join(folder, 'all.sql'), kept.join('\n'))
}

/** Runs tests, which write their files. Ends this process when one fails. */
function runTests(...words: string[]): void {
  const command = ['vitest', 'run', '--project', 'default', '--reporter', 'agent', ...words, '-u']
  const { status } = spawnSync('npx', command, { cwd: project, stdio: 'inherit' })
  if (status === 0) return
  console.error('\nnpm run generate stopped: mend what the tests above name, and run it again.')
  process.exit(1)
}

listFilesOfSql()
// The description shows the answers of the demo.
runTests('test/openapi/examples.test.ts', '-t', 'are the answers of the demo studio')
writeFileSync(descriptionFile, yamlOf(describeApi({ ...exampleAddresses, rateLimits: readConfig({}).rateLimits })))
for (const [file, text] of Object.entries(filesOfDescription())) {
  mkdirSync(dirname(join(project, file)), { recursive: true })
  writeFileSync(join(project, file), text)
}
runTests(
  ...[
    'test/gates/schema.test.ts',
    'test/gates/matrix.test.ts',
    'test/gates/integrations.test.ts',
    'test/openapi/document.test.ts',
  ],
  ...['test/graphql/docs.test.ts', 'test/graphql/schema.test.ts', 'test/importer/documents.test.ts', 'test/reference'],
)
