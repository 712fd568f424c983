import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { startCluster, type TestCluster } from '../support/cluster.ts'
import { databaseUrl } from '../support/server.ts'

const project = join(import.meta.dirname, '../..')

/** The programs of PostgreSQL 15, with pg_dump. */
export const programs = process.env.TEST_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin'

/** Starts a server of PostgreSQL 15, or the embedded one of 18. */
export const startServer = (version: 15 | 18): Promise<TestCluster> =>
  startCluster({ ...process.env, TEST_DATABASE_URL: '', TEST_POSTGRES_BIN: version === 15 ? programs : '' })

/** Puts the command line of this checkout into a folder, as `studio-inventory`. */
export const installCommand = (folder: string): Promise<void> =>
  writeFile(join(folder, 'studio-inventory'), `#!/bin/sh\nexec ${process.execPath} ${project}/src/cli/main.ts "$@"\n`, {
    mode: 0o755,
  })

/** The environment of the documented commands. `url`: the administrator's, of any database. */
export function surroundings(folder: string, url: string, key: string, place: string): NodeJS.ProcessEnv {
  return {
    PATH: [folder, programs, process.env.PATH].join(delimiter),
    HOME: folder,
    SERVER_URL: databaseUrl(url, 'postgres'),
    DATABASE_URL: databaseUrl(url, 'inventory'),
    SECRET_KEY: key,
    DATA_DIR: join(folder, place),
    PHOTOS_DIR: join(folder, place, 'photos'),
  }
}

/** Runs lines of a shell in the folder of HOME. @throws with what they wrote when one fails */
export function bash(lines: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      'bash',
      ['--norc', '-euo', 'pipefail', '-c', lines],
      { cwd: env.HOME, env, maxBuffer: 2 ** 25 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout + stderr)
        else reject(new Error(`${error.message}\n${stdout}${stderr}`))
      },
    )
  })
}

/** The shell lines under a heading of the page: the first, or the first with a word in them. */
export async function block(heading: string, word = ''): Promise<string> {
  const page = await readFile(join(project, 'docs/operating.md'), 'utf8')
  const section = page.split(/^##+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines = '']) => lines)
  const found = blocks.find((lines) => lines.includes(word))
  if (found === undefined) throw new Error(`docs/operating.md has no commands under ${heading}`)
  return found
}
