import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useFolder } from '../support/folder.ts'
import { beginLife, type Life } from './life.ts'

/** The programs of a PostgreSQL 18 with pg_upgrade, which the embedded server lacks. */
const upgradePrograms = process.env.TEST_UPGRADE_BIN

/** An audit makes a database to compare with. At night every step has one; else those that move roles or rules. */
const auditsAll = process.env.TEST_DEPTH !== undefined
const audited = /first day|restore|release|pg_upgrade from/

/** A row of the table that a run prints. */
type Row = { step: string; seconds: string; MB: string; audit: string; copy: string; answers: string }

describe.each(['superuser', 'managed'] as const)(
  'an installation with the administrator %s lives through',
  (administrator) => {
    const temporary = useFolder()
    const rows: Row[] = []
    let life: Life

    beforeAll(async () => {
      life = await beginLife(temporary.path, administrator)
    })
    afterAll(async () => {
      console.table(rows)
      await life?.end()
    })

    /** A step of its life. Afterwards the audit, where it runs, finds nothing, the client that polls all the time has an
     * exact copy, and every answer is what it was after the installation, to the byte. */
    function step(name: string, work: () => Promise<unknown>): void {
      it(name, async () => {
        const began = performance.now()
        await work()
        const seconds = ((performance.now() - began) / 1_000).toFixed(1)
        const audit = auditsAll || audited.test(name) ? await life.audit() : 'not run'
        const { wrong, records } = await life.compareCopy()
        const changed = await life.changedAnswers()
        rows.push({
          ...{ step: name, seconds, MB: ((await life.bytes()) / 1e6).toFixed(1), audit: audit.slice(-60) },
          copy: `${records} records, ${wrong.length} wrong`,
          answers: `${changed.length} changed`,
        })
        expect(audit).toMatch(/^(nothing found|not run)$/)
        expect({ wrong, changed }).toEqual({ wrong: [], changed: [] })
      })
    }

    step('its first day, on PostgreSQL 15', () => life.install())

    step('a year of closed months and requests', async () => {
      await life.aYear()
      expect([await life.closedMonths(), await life.oldDetails()]).toEqual([12, 0])
    })

    step('a new SECRET_KEY under load', async () => {
      expect(Object.keys(await life.underLoad(() => life.rotateSecret()))).toEqual(['200'])
      await life.logIn('second')
      await expect(life.logIn('first')).rejects.toThrow('password authentication failed')
    })

    step('a backup', async () => {
      // An administrator who forgets the role gets an error, and no empty file.
      if (administrator === 'managed') await expect(life.dumpWithoutRole()).rejects.toThrow('row-level security')
      await life.backUp()
    })

    // A managed PostgreSQL runs pg_upgrade itself.
    if (administrator === 'superuser')
      step('the command before pg_upgrade, which then carries over nothing of the server’s own functions', async () => {
        expect(await life.carriedOver()).not.toEqual([])
        await life.openFunctions()
        expect(await life.carriedOver()).toEqual([])
        await life.closeFunctions()
      })

    step('its restore on PostgreSQL 18', async () => {
      const before = await life.analysts()
      await life.restore()
      expect(await life.becoming()).toBe(0)
      // Only a superuser can read passwords into a backup.
      if (administrator === 'superuser') expect(await life.analysts()).toBe(before)
    })

    step('the next release, under load', async () => {
      expect(Object.keys(await life.underLoad(() => life.migrate()))).toEqual(['200'])
    })

    if (upgradePrograms !== undefined && administrator === 'superuser')
      step('pg_upgrade from 15 to 18', () => life.upgrade(upgradePrograms))
  },
)
