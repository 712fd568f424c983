import { expect } from 'vitest'
import type { World } from '../support/world.ts'
import { lapses } from './client.ts'
import { type Course, course, exact, report } from './exact.ts'

/** How long is written, in seconds: a short form for every run, and by TEST_SYNC_SECONDS a longer one. */
export const seconds = Number(process.env.TEST_SYNC_SECONDS ?? 8)

/** Time enough for a test that writes for so long, and waits for quiet after every ten seconds or so. */
export const timeoutMs = (seconds * 5 + 120) * 1_000

/** Fails unless clients of services that go this way to their database hold exactly its data; gives the services. */
export async function expectExact(name: string, world: World, way: Pick<Course, 'services' | 'reach'>) {
  const rounds = Math.ceil(seconds / 10)
  const findings = await course(world, { rounds, roundMs: (seconds * 1_000) / rounds, lapses, ...way })
  report(name, findings)
  expect(findings.wrongRemovals).toEqual([])
  for (const [client, found] of Object.entries(findings.clients)) {
    if (lapses.some((lapse) => lapse === client)) continue
    expect(found, client).toMatchObject(exact)
    // Who is told no moment to ask from reads everything again and again, and is exact as well.
    expect(found.fullReadings, client).toBe(client === 'plain' ? 0 : 1)
  }
  // Clients that leave out a part of the cycle do not hold the data, or this would not notice what is missing. That one by page
  // numbers meets a page that changes is up to chance; test/sync/races.test.ts shows what happens then.
  for (const lapse of ['by the clock', 'no removals']) expect(findings.clients[lapse], lapse).not.toMatchObject(exact)
  return findings.services
}
