import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createLogin } from '../../src/analysts/logins.ts'
import { roleUrl } from '../../src/database/roles.ts'
import { asAdministrator } from '../../src/database/session.ts'
import { openEmbedded } from '../../src/embedded/server.ts'
import { makeLogger } from '../../src/log.ts'
import { makeDatabase } from '../support/cluster.ts'
import { stopServerOf } from '../support/embedded.ts'
import { testSecretKey, withClient } from '../support/server.ts'

vi.setConfig({ testTimeout: 120_000 })

const log = makeLogger({ level: 'silent' })
let folder: string

type Server = { adminUrl: string; analystUrl: string; close(): Promise<unknown> }

/** The embedded server with a database, and an analyst. @param settings beside its own */
async function serve(settings: Record<string, string> = {}): Promise<Server> {
  const { url, close } = await openEmbedded(folder, log, { settings: { fsync: 'off', ...settings } })
  const name = `d${Object.keys(settings).length}`
  const adminUrl = await makeDatabase(url, name)
  const { url: analystUrl } = await asAdministrator(adminUrl, async (transaction) => {
    const [studio] = await transaction.query<{ id: string }>(
      `insert into app.studios (name, timezone, currency, minor_units) values ('A', 'UTC', 'EUR', 2) returning id`,
    )
    const wanted = { studioId: studio?.id ?? '', userId: null, validDays: 1, connections: 4, timeout: 60 }
    return createLogin(transaction, adminUrl, wanted)
  })
  return { adminUrl, analystUrl, close }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-'))
  await chmod(folder, 0o755)
})
afterAll(async () => {
  await stopServerOf(folder)
  await rm(folder, { recursive: true, force: true })
})

const queued = async () => {
  const at = join(folder, 'postgres', 'pg_notify')
  const sizes = (await readdir(at)).map(async (name) => (await stat(join(at, name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** Works while a session of the analyst's listens and does not read what it hears. */
async function withDeafListener(url: string, work: (pid: number) => Promise<void>): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('listen x')
    const [{ pid }] = (await client.query('select pg_backend_pid() as pid')).rows as [{ pid: number }]
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    stream.pause()
    // One that is paused does not end.
    await work(pid).finally(() => stream.resume())
  })
}

/** Sends 80 MB of notifications. Returns the code of the failure, if they fail. */
async function notify(client: pg.Client): Promise<string> {
  for (let sent = 0; sent < 50; sent += 1) {
    const some = Array.from({ length: 200 }, (_, at) => `notify x, '${`${sent}.${at} `.padEnd(7_990, '.')}'`)
    try {
      await client.query(some.join(';'))
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  return 'sent'
}

describe('an analyst of the embedded server', () => {
  let server: Server
  beforeAll(async () => {
    server = await serve()
  })
  afterAll(() => server?.close())

  it('fills at most 8 MB with notifications that nobody reads', async () => {
    await withDeafListener(server.analystUrl, async () => {
      await withClient(server.analystUrl, async (sender) => {
        // program_limit_exceeded: too many notifications in the NOTIFY queue
        expect(await notify(sender)).toBe('54000')
        expect(await queued()).toBeLessThan(9_000_000)
      })
    })
  })

  it('takes at most a gigabyte of memory: a larger statement fails, and the session goes on', async () => {
    await withClient(server.analystUrl, async (client) => {
      const large = `select length(repeat('x', 600000000) || repeat('y', 400000000)) as length`
      await expect(client.query(large)).rejects.toMatchObject({ code: '53200' })
      expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    })
  })

  it('leaves twenty connections to the service when analysts’ sessions have all others', async () => {
    const recorder = roleUrl(server.adminUrl, 'studio_recorder', testSecretKey)
    await withClient(server.adminUrl, async (admin) => {
      const login = new URL(server.analystUrl).username
      await admin.query(`alter role ${login} connection limit -1`)
      let beat: string | undefined
      const fill = async (left: number): Promise<string> =>
        left === 0
          ? 'all'
          : withClient(server.analystUrl, () => fill(left - 1)).catch(async (error: { code: string }) => {
              beat ??= await withClient(recorder, (client) => client.query('select access.heartbeat()')).then(
                () => 'beat',
                ({ code }) => code,
              )
              return error.code
            })
      // too_many_connections
      expect(await fill(200)).toBe('53300')
      expect(beat).toBe('beat')
    })
  })
})

describe('where the queue of notifications may take 8 GB, as by default and before PostgreSQL 17', () => {
  it('the watchdog ends a session that does not read its own once 64 MB wait, and the queue is empty again', async () => {
    const server = await serve({ max_notify_queue_pages: '1048576' })
    try {
      await withDeafListener(server.analystUrl, async (pid) => {
        await withClient(server.analystUrl, async (sender) => {
          expect(await notify(sender)).toBe('sent')
          expect(await queued()).toBeGreaterThan(64_000_000)
          await withClient(roleUrl(server.adminUrl, 'studio_recorder', testSecretKey), async (recorder) => {
            const { rows } = await recorder.query('select pid, reason from access.watch_analysts()')
            expect(rows).toEqual([{ pid, reason: 'it may hold up the queue of notifications' }])
          })
          // The next notification removes what nobody waits for.
          const left = async () => {
            await notify(sender)
            return queued()
          }
          await expect.poll(left, { timeout: 20_000 }).toBeLessThan(9_000_000)
        })
      })
    } finally {
      await server.close()
    }
  })
})

it('the log of the embedded server is copied away and emptied at 20 MB, at the start and while it runs', async () => {
  const at = (name: string) => join(folder, 'postgres', name)
  const size = async (name: string) => (await stat(at(name))).size
  await writeFile(at('postgres.log'), 'x'.repeat(20_000_001))
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const server = await openEmbedded(folder, log, { settings: { fsync: 'off' } })
  try {
    expect(await size('postgres.log.1')).toBe(20_000_001)
    expect(await size('postgres.log')).toBeLessThan(10_000)
    await writeFile(at('postgres.log'), 'y'.repeat(21_000_000), { flag: 'a' })
    vi.advanceTimersByTime(60_000)
    await expect.poll(() => size('postgres.log'), { timeout: 10_000 }).toBeLessThan(10_000)
    expect(await size('postgres.log.1')).toBeGreaterThanOrEqual(21_000_000)
  } finally {
    vi.useRealTimers()
    await server.close()
  }
})
