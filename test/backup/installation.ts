import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { type LoginRole, roleUrl } from '../../src/database/roles.ts'
import type { PhotoSigner } from '../../src/photos/signer.ts'
import { startCluster, type TestCluster } from '../support/cluster.ts'
import { databaseUrl } from '../support/server.ts'
import { startService } from '../support/service.ts'

const project = join(import.meta.dirname, '../..')

/** The programs of PostgreSQL 15, with pg_dump. */
export const programs = process.env.TEST_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin'

export type Answer = { status: number; body: string }

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

export const lists = [
  '/v1/account',
  '/v1/items?per_page=100',
  '/v1/items?q=neumann&include=photos',
  '/v1/maintenance?per_page=100',
  '/v1/policies',
  '/v1/valuations?per_page=100',
  '/v1/valuations/summary',
  '/v1/valuations/summary?on=2026-01-31',
  '/v1/removals',
]

/** What the service answers to a token, by path. `url`: the administrator's of the database. */
export async function answersOf(url: string, key: string, token: string): Promise<Record<string, Answer>> {
  const urlFor = (role: string) => roleUrl(url, role as LoginRole, key)
  const database = { name: 'inventory', adminUrl: url, urlFor, drop: async () => undefined }
  // A signature has the time of the request.
  const signer = (real: PhotoSigner) => ({
    ...real,
    sign: async (photo: string) => `https://photos.example.com/${photo}`,
  })
  const service = await startService(database, { signer })
  try {
    const entries = lists.map(async (path) => {
      const { status, text } = await service.get(path, { token })
      return [path, { status, body: text }] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  } finally {
    await service.stop()
  }
}
