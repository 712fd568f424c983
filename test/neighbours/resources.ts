import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { asAdmin } from '../support/server.ts'
import type { Stage } from './stage.ts'

/** The memory of the service's process, of GraphQL's, of the processes that make previews and reports, and
 * of PostgreSQL's sessions without what they share, in bytes. */
export const users = ['service', 'graphql', 'children', 'postgres'] as const
export type Memory = Record<(typeof users)[number], number>

export async function memoryOf({ service, graphql, postmaster }: Stage): Promise<Memory> {
  const sum = async (pids: Promise<number[]>, bytes: (pid: number) => Promise<number>) =>
    (await Promise.all((await pids).map(bytes))).reduce((one, other) => one + other, 0)
  return {
    service: await residentBytes(service.pid),
    graphql: await residentBytes(graphql.pid),
    children: await sum(childrenOf(service.pid), residentBytes),
    postgres: await sum(childrenOf(postmaster), privateBytes),
  }
}

/** The most of each. */
export const larger = (one: Memory, other: Memory) =>
  Object.fromEntries(users.map((user) => [user, Math.max(one[user], other[user])])) as Memory

const kilobytes = (text: string, name: RegExp) =>
  [...text.matchAll(name)].reduce((bytes, [, count]) => bytes + 1024 * Number(count), 0)

/** A process that has ended has no file, and no memory. */
const fileOf = (pid: number, name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
const residentBytes = async (pid: number) => kilobytes(await fileOf(pid, 'status'), /^VmRSS:\s+(\d+) kB/gm)
const privateBytes = async (pid: number) =>
  kilobytes(await fileOf(pid, 'smaps_rollup'), /^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)

async function childrenOf(pid: number): Promise<number[]> {
  return (await fileOf(pid, `task/${pid}/children`)).split(' ').filter(Boolean).map(Number)
}

/** The process whose children are PostgreSQL's sessions; 0 if PostgreSQL runs on another machine. */
export async function postmasterOf(database: Stage['database']): Promise<number> {
  return asAdmin(database, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const pid = rows[0]?.pid ?? 0
    if (!(await fileOf(pid, 'cmdline')).startsWith('postgres:')) return 0
    return Number(/^PPid:\s+(\d+)$/m.exec(await fileOf(pid, 'status'))?.[1] ?? 0)
  })
}

/** The bytes that PostgreSQL's data, the photos and the uploads take; of PostgreSQL elsewhere none. */
export async function diskOf({ database, folder }: Stage): Promise<number> {
  const data = await asAdmin(database, async (client) => {
    const { rows } = await client.query<{ path: string }>(`select current_setting('data_directory') as path`)
    return rows[0]?.path ?? ''
  })
  const uploads = (await readdir(tmpdir())).filter((name) => name.startsWith('studio-inventory-import-'))
  const paths = [data, folder, ...uploads.map((name) => join(tmpdir(), name))]
  // Files come and go meanwhile, so du says what it has counted, and fails.
  const { stdout } = await promisify(execFile)('du', ['-scB1', ...paths]).catch((error: { stdout: string }) => error)
  return Number(/^(\d+)\ttotal$/m.exec(stdout)?.[1])
}
