import { rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { envFor, runCli } from '../cli/run.ts'
import { fillStudio } from '../support/bulk.ts'
import { asAdmin } from '../support/server.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
let studioId: string

beforeAll(async () => {
  studioId = (await world.newStudio()).id
  const holdings = { items: 5_000, locations: 20, policies: 10, assignedOneIn: 2, photos: { each: 1, oneIn: 1 } }
  await asAdmin(world.database, (admin) =>
    fillStudio((text, values) => admin.query(text, values as unknown[]), studioId, holdings),
  )
})

/** If the report kept rows as objects, it would take some 20 MB more than this leaves. */
const heapMb = 48
const youngMb = 8

it.each(['csv', 'xlsx', 'pdf'])(
  'a report of 5,000 items as %s is made within a heap of 48 MB',
  async (format) => {
    const file = join(tmpdir(), `studio-inventory-report-${studioId}.${format}`)
    try {
      const env = {
        ...envFor(world.database, { PHOTOS_DIR: world.photosDir }),
        NODE_OPTIONS: `--max-old-space-size=${heapMb} --max-semi-space-size=${youngMb}`,
      }
      const done = await runCli(['report', '--studio', studioId, '--as', format, '--output', file], env)
      expect(done.status, done.stderr).toBe(0)
      expect(done.stdout).toContain('4,900 items')
      expect((await stat(file)).size).toBeGreaterThan(100_000)
    } finally {
      await rm(file, { force: true })
    }
  },
  120_000,
)
