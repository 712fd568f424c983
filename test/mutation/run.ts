import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Guard, type Patch, testsOf } from './guard.ts'
import { guards } from './guards.ts'

const root = join(import.meta.dirname, '../..')

/** The tests need these variables. */
const parts = [
  'src',
  'test',
  'sql',
  'migrations',
  'docs',
  'integrations',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
]

/** What one run of vitest found: the names of the tests that failed, and how many ran. */
type Verdict = { failed: string[]; ran: number }

/** Takes one guard away at a time and runs the tests that should notice. Words pick guards
 * by name; `--skip-untouched` leaves out the first run with every guard in place. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { 'skip-untouched': { type: 'boolean' } },
    allowPositionals: true,
  })
  const chosen = guards.filter(([name]) => positionals.length === 0 || positionals.some((word) => name.includes(word)))
  const scratch = await mkdtemp(join(tmpdir(), 'studio-inventory-mutation-'))
  let unnoticed = 0
  try {
    if (!values['skip-untouched']) await runUntouched(chosen, join(scratch, 'untouched.json'))
    const left = chosen.entries()
    const work = async () => {
      for (const [index, guard] of left) {
        const red = await firstRed(guard, join(scratch, String(index))).catch((error) => {
          console.error(error)
          return undefined
        })
        if (red === undefined) unnoticed += 1
        console.log(`${guard[0].padEnd(58)} ${red ? `red: ${red}` : 'NOT NOTICED'}`)
      }
    }
    // Each run has a server of its own, unless one was given: then they would meet there.
    const concurrency = process.env.TEST_DATABASE_URL ? 1 : availableParallelism()
    await Promise.all(Array.from({ length: concurrency }, work))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  console.log(`\n${chosen.length - unnoticed} of ${chosen.length} mutations turned a test red`)
  if (unnoticed > 0) process.exitCode = 1
}

/** The first test that turns red without a guard, if any. */
async function firstRed(guard: Guard, scratch: string): Promise<string | undefined> {
  const [, , how] = guard
  const folder = typeof how === 'string' ? root : await patchedCopy(scratch, how)
  const env = typeof how === 'string' ? { TEST_MUTATION_SQL: how } : {}
  const { failed } = await runTests(folder, [...testsOf(guard), '--bail=1'], env, `${scratch}.json`)
  return failed[0]
}

async function runUntouched(chosen: readonly Guard[], report: string): Promise<void> {
  const tests = [...new Set(chosen.flatMap(testsOf))]
  const { failed, ran } = await runTests(root, tests, {}, report)
  if (failed.length > 0 || ran === 0) {
    throw new Error(`without any mutation ${ran} tests ran and these are red: ${failed.join('; ')}`)
  }
  console.log(`untouched: ${ran} tests, all green\n`)
}

/** The code in a folder of its own, with one text replaced; installed packages are shared. */
async function patchedCopy(folder: string, patch: Patch): Promise<string> {
  await mkdir(folder)
  for (const part of parts) {
    const filter = (source: string) => basename(source) !== 'node_modules'
    await cp(join(root, part), join(folder, part), { recursive: true, verbatimSymlinks: true, filter })
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const file = join(folder, patch.file)
  const before = await readFile(file, 'utf8')
  if (!before.includes(patch.from))
    throw new Error(`${patch.file} does not contain ${JSON.stringify(patch.from)} any more`)
  await writeFile(file, before.replace(patch.from, patch.to))
  return folder
}

async function runTests(folder: string, tests: string[], env: Record<string, string>, report: string) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', ...tests, '--reporter=json', `--outputFile=${report}`]
  const said: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      // Random writers run long enough to do what is rare.
      env: { TEST_SYNC_SECONDS: '30', ...process.env, ...env, CI: 'true' },
    })
    child.stdout.on('data', (chunk: Buffer) => said.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => said.push(chunk))
    child.on('error', reject)
    child.on('close', () => resolve())
  })
  const text = await readFile(report, 'utf8').catch(() => {
    throw new Error(`vitest wrote no report:\n${Buffer.concat(said)}`)
  })
  return verdictOf(JSON.parse(text))
}

type Report = {
  testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[]
}

function verdictOf(report: Report): Verdict {
  if (report.testResults.length === 0) throw new Error('no test file was run: the mutation itself failed')
  const failed = report.testResults.flatMap((file) => {
    const red = file.assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
    // A file whose beforeAll fails has no failed assertion, but it is red, too.
    return red.length === 0 && file.status === 'failed' ? [`${basename(file.name)} cannot be set up`] : red
  })
  return { failed, ran: report.testResults.reduce((sum, file) => sum + file.assertionResults.length, 0) }
}

await main()
