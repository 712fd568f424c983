import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { useTool } from './demo.ts'
import { recipes, run } from './tools.ts'

/** pandas and R, by Debian's programs: the same table over REST and over SQL, and a plot. */
const demo = useTool({ analyst: true })
let table: string
beforeAll(async () => {
  const rows = await demo.sql<{ line: string }>(`
    select concat_ws(',', coverage_state, count(*), sum(purchase_price)::numeric(12, 2),
      sum(reported_insured_value)::numeric(12, 2)) as line
    from api_v1.items where coverage_state is not null group by coverage_state order by coverage_state`)
  table = ['coverage_state,items,paid,insured', ...rows.map(({ line }) => line), ''].join('\n')
})

const rest = () => ({ API_URL: demo.service.url, TOKEN: demo.token })
const parts = () => {
  const { hostname, port, pathname, username, password } = new URL(demo.analystUrl)
  const PGDATABASE = pathname.slice(1)
  return { PGHOST: hostname, PGPORT: port, PGDATABASE, PGUSER: username, PGPASSWORD: password }
}

describe.each([
  ['pandas over REST', '/usr/bin/python3', 'pandas/coverage.py', rest],
  ['pandas over SQL', '/usr/bin/python3', 'pandas/coverage.py', () => ({ DATABASE_URL: demo.analystUrl })],
  ['R over REST', '/usr/bin/Rscript', 'r/coverage.R', rest],
  ['R over SQL', '/usr/bin/Rscript', 'r/coverage.R', parts],
])('%s', (_, program, file, env) => {
  test('prints the table that the database has, and draws it', async () => {
    await rm(join(demo.folder, 'coverage.png'), { force: true })
    const { status, stdout, stderr } = await run(program, [join(recipes, file)], { cwd: demo.folder, env: env() })
    expect(status, stderr).toBe(0)
    expect(stdout).toBe(table)
    const png = await readFile(join(demo.folder, 'coverage.png'))
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    expect(png.length).toBeGreaterThan(5_000)
  })
})

test('the table of the page is the one that the script prints', async () => {
  expect(await readFile(join(recipes, 'pandas/README.md'), 'utf8')).toContain(table)
})
