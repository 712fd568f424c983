import { appendFile, mkdtemp } from 'node:fs/promises'
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measure, type Pace } from './measure.ts'
import { measureNewcomer } from './newcomer.ts'
import { migratePartitioned } from './partitioned.ts'
import { type Found, report } from './report.ts'
import { closeServers, makeFolderAt, migrated, removeFolder, type Server } from './server.ts'
import { loaded, serving } from './stage.ts'

const full: Pace = {
  ...{ readsEach: 200, day: 300, month: 20, closing: 20, updateSeconds: 120, newcomers: 3, newItems: 10_000 },
}
const quick: Pace = {
  ...{ readsEach: 3, day: 5, month: 1, closing: 1, updateSeconds: 3, newcomers: 1, newItems: 500 },
}

/**
 * Loads many studios into one PostgreSQL and measures it, then fewer studios in one table and in hash partitions. `--quick` in a
 * minute. `--folder` names where the data lie, which the server's own user must be able to enter; with `--keep` they stay there, and
 * a run that finds them measures them. `--only many`, `--only parts` do one half, `--json` prints JSON alone.
 */
async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      studios: { type: 'string', default: '10000' },
      items: { type: 'string', default: '5000' },
      minutes: { type: 'string', default: '55' },
      parts: { type: 'string', default: '200' },
      folder: { type: 'string' },
      only: { type: 'string' },
      keep: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  const pace = options.quick ? quick : full
  const began = performance.now()
  const say = (text: string) => {
    process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}\n`)
  }
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'studio-inventory-size-')))
  const items = options.quick ? 500 : Number(options.items)
  const wanted = { studios: options.quick ? 30 : Number(options.studios), items, minutes: Number(options.minutes) }
  const fewer = { ...wanted, studios: options.quick ? 30 : Number(options.parts) }
  const at = (name: string) => join(folder, name)
  const tell = (place: number, part: object) => appendFile(at('found.jsonl'), `${JSON.stringify({ place, part })}\n`)
  await makeFolderAt(folder)
  const end = async () => {
    await closeServers()
    if (!options.keep) await removeFolder(folder)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void end().finally(() => process.exit(1)))
  try {
    const found: Found = { about: about(options.quick) }
    if (options.only !== 'parts') {
      found.loaded = await loaded(at('many'), wanted, migrated, say)
      found.empty = await serving([at('empty')], ([place]) =>
        measureNewcomer(place as Server, pace.newcomers, pace.newItems),
      )
    }
    if (options.only !== 'parts' && !options.quick) {
      await serving([at('many')], async (places) => {
        ;[found.many] = await measure(places, pace, tell, say)
      })
    }
    if (options.only !== 'many') {
      // A quick run has the same studios in both.
      const plain = options.quick ? 'many' : 'plain'
      await loaded(at(plain), fewer, migrated, say)
      await loaded(at('parts'), fewer, (url) => migratePartitioned(url, at('migrations')), say)
      await serving([at(plain), at('parts')], async (places) => {
        ;[found.plain, found.parts] = await measure(places, pace, tell, say)
      })
      if (options.quick) found.many = found.plain
    }
    process.stdout.write(`${options.json ? JSON.stringify(found, null, 1) : report(found)}\n`)
  } finally {
    await end()
  }
}

function about(isQuick: boolean): string[] {
  const [cpu] = cpus()
  return [
    `${availableParallelism()} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`,
    ...(isQuick ? ['A quick run: too short to draw conclusions.'] : []),
  ]
}

await main()
