import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { withClient } from '../../../src/database/client.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { makeLogger } from '../../../src/observability/log.ts'
import {
  catchUp,
  makePrimary,
  makeReplica,
  makeServerFolder,
  type Server,
  stopServer,
  urlOf,
} from '../../scaling/servers.ts'
import { makeStudio, type Studio } from '../dataset.ts'
import { startService } from '../fleet.ts'
import { freePort, type Running } from '../processes.ts'
import { type Cgroup, openCgroup } from './cgroup.ts'

/** A PostgreSQL in a control group of its own. */
export type Limited = { server: Server; cgroup: Cgroup }

export type Cluster = {
  primary: Limited
  replicas: Limited[]
  studios: Studio[]
  /** The service without replicas, with one, with two …, none of which caches anything. */
  services: (Running & { metrics: string })[]
}

const database = 'postgres'
const secretKey = 'a secret key for benchmarks, known to everybody'

/**
 * Starts a primary, its streaming replicas and the services that read from none of them, from the first, from the first two …
 *
 * @param closers what has to be done at the end, last first
 */
export async function openCluster(
  counts: { replicas: number; studios: number },
  closers: (() => unknown)[],
): Promise<Cluster> {
  const folder = await makeServerFolder()
  closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  const limited = async (name: string, starting: () => Promise<Server>): Promise<Limited> => {
    const cgroup = await openCgroup(`studio-inventory-bench-${process.pid}-${name}`)
    closers.push(cgroup.remove)
    const server = await starting()
    closers.push(() => stopServer(server, 'immediate'))
    await cgroup.add(Number((await readFile(join(server.folder, 'postmaster.pid'), 'utf8')).split('\n')[0]))
    return { server, cgroup }
  }
  const primary = await limited('primary', () => makePrimary(folder))
  const adminUrl = urlOf(primary.server, database)
  await migrate(adminUrl, secretKey, makeLogger({ level: 'error', fileDescriptor: 2 }))
  const studios: Studio[] = []
  for (let n = 1; n <= counts.studios; n += 1) studios.push(await makeStudio(adminUrl, `Studio ${n}`, holdings))
  await withClient(adminUrl, (admin) => admin.query('vacuum analyze'))
  const replicas: Limited[] = []
  for (let n = 1; n <= counts.replicas; n += 1) {
    const own = { folder: join(folder, `replica${n}`), port: await freePort() }
    replicas.push(await limited(`replica-${n}`, () => makeReplica(primary.server, own)))
  }
  for (const { server } of replicas) await catchUp(primary.server, server)

  const scratch = { folder, adminUrl, writerUrl: '', secretKey }
  await mkdir(join(folder, 'logs'))
  const services: Cluster['services'] = []
  for (let n = 0; n <= counts.replicas; n += 1) {
    const port = await freePort()
    const running = await startService(scratch, `the service with ${n}`, {
      ...{ CACHE_MAX_BYTES: '0', METRICS_PORT: String(port) },
      ...(n > 0 && {
        REPLICA_DATABASE_URLS: replicas
          .slice(0, n)
          .map(({ server }) => urlOf(server, database))
          .join(','),
      }),
    })
    closers.push(running.stop)
    services.push({ ...running, metrics: `http://127.0.0.1:${port}/metrics` })
  }
  return { primary, replicas, studios, services }
}

const holdings = {
  items: 300,
  photos: { each: 2, oneIn: 1 },
  maintenance: 30,
  locations: 10,
  policies: 10,
  assignedOneIn: 10,
}

/** How many answers of replicas a service has used so far. */
export async function answersOfReplicas({ metrics }: Cluster['services'][number]): Promise<number> {
  const text = await (await fetch(metrics)).text()
  const counts = text.matchAll(/^studio_inventory_replica_answers_total\{.*answer="current".*\} (\d+)/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}
