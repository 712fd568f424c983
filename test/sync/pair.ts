import type pg from 'pg'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { enterStudio } from '../../src/database/session.ts'
import { startHeartbeats } from '../support/heartbeat.ts'
import { withClient } from '../support/server.ts'
import { useWorld, type World } from '../support/world.ts'
import { createSyncClient, type SyncClient } from './client.ts'

/** An open transaction. */
export type Session = { run<Row extends object>(text: string, values?: unknown[]): Promise<Row[]> }

export type Pair = {
  world: World
  /** Two open transactions of a studio, as studio_writer and as studio_owner. */
  together(studioId: string, work: (writer: Session, owner: Session) => Promise<unknown>, begin?: string): Promise<void>
  /** Makes a studio, and a client that reads it once `furnish` is done. */
  newStudio(options?: {
    timezone?: string
    furnish?(id: string): Promise<unknown>
  }): Promise<{ id: string; token: string; client: SyncClient }>
  /** Waits until the watermark has passed this moment. */
  passed(): Promise<void>
  /** Expects of a client, when all is quiet, the copy that a new one makes. */
  expectExact(client: SyncClient, token: string): Promise<void>
}

/** Gives the test file a world with heartbeats, and two writers at once. */
export function usePair(): Pair {
  const world = useWorld()
  let stop: () => Promise<void>
  beforeAll(async () => {
    stop = await startHeartbeats(world.database)
    // A new database knows removals from a moment that the watermark has yet to pass.
    await until('select access.watermark() > access.removals_since() as reached')
  })
  afterAll(() => stop?.())

  const until = (statement: string, values: unknown[] = []) =>
    vi.waitUntil(async () => (await world.owner<{ reached: boolean }>(statement, values))[0]?.reached, {
      timeout: 60_000,
    })
  const clientOf = (token: string) => createSyncClient({ baseUrl: () => `${world.service.url}/v1`, token })

  async function passed(): Promise<void> {
    const [row] = await world.owner<{ now: string }>('select app.stamp()::text as now')
    await until('select access.watermark() > $1::timestamptz as reached', [row?.now])
  }

  return {
    world,
    passed,
    async together(studioId, work, begin = 'begin') {
      const session = async (client: pg.Client): Promise<Session> => {
        const run: Session['run'] = async (text, values = []) => (await client.query(text, values)).rows
        await run(begin)
        await enterStudio({ query: run as never }, studioId)
        return { run }
      }
      await withClient(world.database.urlFor('studio_writer'), (writer) =>
        withClient(world.database.urlFor('studio_owner'), async (owner) => {
          await work(await session(writer), await session(owner))
        }),
      )
    },
    async newStudio({ timezone = 'UTC', furnish } = {}) {
      const studio = await world.newStudio({ timezone })
      await furnish?.(studio.id)
      const client = clientOf(studio.token)
      await client.poll()
      return { ...studio, client }
    },
    async expectExact(client, token) {
      await passed()
      await client.poll()
      const truth = clientOf(token)
      await truth.poll()
      expect(client.copy).toEqual(truth.copy)
    },
  }
}
