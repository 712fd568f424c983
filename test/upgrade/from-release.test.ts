import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { findPort } from '../../src/http/listener.ts'
import { committedMigrations } from '../../src/migration/migrations.ts'
import { startCli } from '../cli/run.ts'
import { statusOf, stopServerOf } from '../support/embedded.ts'
import { useFolder } from '../support/folder.ts'
import { type Answers, answersOf, differences, type Installation, questionsFor } from './answers.ts'
import { unpackLastRelease } from './last-release.ts'

/** What answers otherwise than the last release, each with the words of CHANGELOG.md that say so
 * under "Unreleased". An answer is compared after `alike` has taken the change out of it. */
const changes: { words: string; alike(question: string, answer: string): string }[] = []

/** Answers without what has changed. */
const comparable = (answers: Answers): Answers =>
  Object.fromEntries(
    Object.entries(answers).map(([question, answer]) => [
      question,
      changes.reduce((text, { alike }) => alike(question, text), answer),
    ]),
  )

const folder = useFolder()
let there: Installation
let env: Record<string, string>
/** The command of the last release, whose code runs with the packages of this checkout. */
let released: string

beforeAll(async () => {
  await unpackLastRelease(folder.at('release'))
  released = folder.at('release/src/cli/main.ts')
  const [port, graphqlPort] = [await findPort('127.0.0.1', 0), await findPort('127.0.0.1', 0)]
  there = { url: `http://127.0.0.1:${port}`, graphqlUrl: `http://127.0.0.1:${graphqlPort}/graphql` } as Installation
  env = {
    ...{ DATA_DIR: folder.at('data'), HOST: '127.0.0.1', PORT: String(port), GRAPHQL_PORT: String(graphqlPort) },
    ...{ PUBLIC_URL: there.url, RATE_LIMITS: 'pro=100000/1000000,studio=100000/1000000' },
    // A cached answer would not show what the last release reads after the migration.
    CACHE_MAX_BYTES: '0',
  }
})
afterAll(() => stopServerOf(folder.at('data')))

/** Runs a command to its end. @returns what it printed */
async function run(args: string[], main?: string): Promise<string> {
  const { ended } = startCli(args, env, main)
  const { status, stdout, stderr } = await ended
  expect(status, `${args}: ${stdout}${stderr}`).toBe(0)
  return stdout.trim()
}

/** Starts the service with its GraphQL and its database. @returns what ends it */
async function serve(main?: string): Promise<() => Promise<unknown>> {
  const { child, ended, output } = startCli(['serve'], env, main)
  onTestFinished(() => void child.kill('SIGKILL'))
  const urls = [there.url, there.graphqlUrl.replace('/graphql', '')]
  const ready = vi.waitFor(
    async () => {
      for (const url of urls) expect(await statusOf(`${url}/readyz`), output()).toBe(200)
    },
    { timeout: 100_000, interval: 100 },
  )
  await Promise.race([ready, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))])
  const database = new URL(await run(['url'], main))
  if (there.analyst) there.analyst = Object.assign(new URL(there.analyst), { host: database.host }).href
  return () => {
    child.kill('SIGTERM')
    return ended
  }
}

/** Answers have the day of the studio: waits for the next hour if this one, and so perhaps a day, ends
 * soon. */
async function awayFromMidnight(): Promise<void> {
  const left = 60 - new Date().getUTCMinutes()
  if (left <= 4) await sleep(left * 60_000)
}

test('the last release with its demo migrates to this state under traffic, and every answer stays the same', async () => {
  const endReleased = await serve(released)
  const { token, studio } = JSON.parse(await readFile(folder.at('data/demo.json'), 'utf8'))
  const analyst = await run(['analyst', 'create', '--studio', studio], released)
  const login = decodeURIComponent(new URL(analyst).username)
  Object.assign(there, { token, analyst, identity: await run(['analyst', 'token', '--login', login], released) })
  await run(['audit', '--accept', 'server_below_safe_version'], released)
  await awayFromMidnight()
  const questions = await questionsFor(there)
  const before = await answersOf(there, questions)

  let migrated = false
  const statuses: Record<string, number> = {}
  const traffic = [0, 1, 2].map(async (client) => {
    for (let turn = client; !migrated || turn < 300; turn += 1) {
      const headers = { Authorization: `Bearer ${token}` }
      const { status } = await fetch(there.url + questions.rest[turn % questions.rest.length], { headers })
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  })
  const said = await run(['migrate']).finally(() => {
    migrated = true
  })
  const [present, known] = await Promise.all([
    committedMigrations(),
    committedMigrations(folder.at('release/migrations')),
  ])
  const added = present.slice(known.length).map(({ filename }) => filename)
  expect(said).toBe(added.length === 0 ? 'The database is up to date.' : `Migrated: ${added.join(', ')}`)
  await Promise.all(traffic)
  expect(Object.keys(statuses)).toEqual(['200'])
  const unlike = async () => differences(comparable(before), comparable(await answersOf(there, questions)))
  // The last release serves until somebody replaces it.
  expect(await unlike()).toEqual([])

  await endReleased()
  const end = await serve()
  expect(await unlike()).toEqual([])
  await run(['audit', '--accept', 'server_below_safe_version'])
  await end()
}, 600_000)

test('the changelog tells of each change of an answer', async () => {
  const [, unreleased = ''] = (await readFile(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8')).split(
    /^## .+$/m,
  )
  for (const { words } of changes) expect(unreleased.replaceAll(/\s+/g, ' ')).toContain(words)
})
