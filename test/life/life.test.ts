import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Installation, openInstallation } from './installation.ts'
import { profiles } from './profiles.ts'

/** The programs of a PostgreSQL 18 that has pg_upgrade, which the embedded one lacks. */
const newerPrograms = process.env.TEST_UPGRADE_BIN

/** A row of the table that the run prints. */
type Row = { step: string; seconds: number; megabytes: number; audit: string; copy: string; answers: string }

describe.each(profiles)('an installation of $name lives through', (profile) => {
  let place: Installation
  const rows: Row[] = []

  beforeAll(async () => {
    place = await openInstallation(profile)
  })
  afterAll(async () => {
    console.log(profile.name)
    console.table(rows)
    await place?.close()
  })

  /** A step of its life. Afterwards the audit finds nothing, a client that has polled through it
   * holds an exact copy, and every answer is the one before. */
  function step(name: string, work: () => Promise<unknown>): void {
    it(name, async () => {
      const began = performance.now()
      await work()
      const seconds = (performance.now() - began) / 1_000
      const audit = await place.audit()
      const { wrong, records } = await place.compareCopy()
      const changed = await place.changedAnswers()
      const megabytes = (await place.bytes()) / 1_000_000
      rows.push({
        step: name,
        seconds: Number(seconds.toFixed(1)),
        megabytes: Number(megabytes.toFixed(1)),
        audit,
        copy: wrong.length === 0 ? `exact, ${records} records` : `${wrong.length} wrong`,
        answers: changed.length === 0 ? 'the same' : changed.join(', '),
      })
      expect({ audit, wrong, changed }).toEqual({ audit: 'nothing found', wrong: [], changed: [] })
    })
  }

  step('the installation on PostgreSQL 15, the demo, and the first answers', () => place.install())

  step('a year of closed months and of requests', async () => {
    await place.aYear()
    expect(await place.closedMonths()).toBeGreaterThanOrEqual(12)
    expect(await place.detailsOfOldRequests()).toBe(0)
  })

  step('a new secret key, under load', async () => {
    const statuses = await place.underLoad(() => place.rotateSecret())
    expect(Object.keys(statuses)).toEqual(['200'])
  })

  step('a backup', () => place.backUp())

  step('its restore on PostgreSQL 18', () => place.restore())

  step('a migration, under load', async () => {
    const statuses = await place.underLoad(() => place.migrate())
    expect(Object.keys(statuses)).toEqual(['200'])
  })

  if (newerPrograms !== undefined && profile.upgrades) step('pg_upgrade from 15 to 18', () => place.upgrade(newerPrograms))
})
