import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messageOf } from '../../src/domain/text.ts'
import { testsOf } from '../mutation/guard.ts'
import { guards } from '../mutation/guards.ts'
import { gateMessage } from '../support/gate-message.ts'
import { asAdmin, useDatabase } from '../support/server.ts'

/** The mutation tests run at night. This notices when a change removes the text that they
 * replace. */
const root = join(import.meta.dirname, '../..')

const database = useDatabase()

const stale = (wrong: string) =>
  gateMessage({
    wrong,
    edit: 'their entries in test/mutation/guards',
    run: 'npx vitest run test/gates/mutations.test.ts, then npm run test:mutation -- <name>',
  })

describe('every guard that the mutation tests take away', () => {
  it('is where they look for it', async () => {
    const gone: string[] = []
    for (const [name, , how] of guards) {
      if (typeof how === 'string') continue
      const text = await readFile(join(root, how.file), 'utf8').catch(() => '')
      if (!text.includes(how.from)) gone.push(name)
    }
    expect(gone, stale('the text that these replace is not in its file any more')).toEqual([])
  })

  it('can be taken out of the schema', async () => {
    const failed: string[] = []
    await asAdmin(database, async (admin) => {
      for (const [name, , how] of guards) {
        if (typeof how !== 'string') continue
        await admin.query('begin')
        await admin.query(how).catch((error: unknown) => failed.push(`${name}: ${messageOf(error)}`))
        await admin.query('rollback')
      }
    })
    expect(failed, stale('the SQL of these fails')).toEqual([])
  })

  it('is tested by files that are there', async () => {
    const files = [...new Set(guards.flatMap(testsOf))]
    const gone: string[] = []
    for (const file of files) await stat(join(root, file)).catch(() => gone.push(file))
    expect(gone, stale('mutations name these, which are not there')).toEqual([])
  })

  it('has a name of its own', () => {
    const names = guards.map(([name]) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})
