import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { useTool } from './demo.ts'
import { type Run, recipes, run } from './tools.ts'

/** LibreOffice without a window, by its PostgreSQL driver and by ODBC: Base and Calc. */
const demo = useTool({ analyst: true })

/** Comma, quotation mark, UTF-8, from the first line, all sheets. */
const everySheet = 'Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1'

type Row = Record<string, string | number | null>
const columns = `count(*)::int as items, sum(purchase_price)::float8 as paid, sum(reported_insured_value)::float8 as insured,
  sum(current_estimated_value)::float8 as value from api_v1.items i`
const queries = {
  Coverage: `select coverage_state, ${columns} where coverage_state is not null group by 1 order by 1`,
  Locations: `select l.name as location, ${columns} join api_v1.locations l on l.id = i.location_id group by l.id, l.name order by 1`,
}

describe.each([
  ['its own driver', () => `sdbc:postgresql:host=${hostname()} port=${port()} dbname=${database()}`],
  ['ODBC', () => 'sdbc:odbc:StudioInventory'],
])('by %s', (way, url) => {
  test('the sheets have the figures of the database, with their sums', async () => {
    const profile = join(demo.folder, way.replaceAll(' ', '-'))
    const macros = join(profile, 'user/Scripts/python')
    await mkdir(macros, { recursive: true })
    await cp(join(recipes, 'libreoffice/coverage.py'), join(macros, 'coverage.py'))
    await cp(join(import.meta.dirname, 'register.py'), join(macros, 'register.py'))
    await writeFile(join(profile, 'odbc.ini'), dataSource())
    const env = { SDBC_URL: url(), DATABASE_USER: username(), PASSWORD: password(), ODBCINI: join(profile, 'odbc.ini') }
    const office = (...args: string[]): Promise<Run> =>
      run('soffice', [`-env:UserInstallation=${pathToFileURL(profile)}`, '--headless', ...args], { cwd: profile, env })
    const macro = (name: string) => office(`vnd.sun.star.script:${name}?language=Python&location=user`)
    for (const name of ['register.py$register', 'coverage.py$save']) {
      const { status, stderr } = await macro(name)
      expect(status, stderr).toBe(0)
      expect(stderr).not.toContain('Traceback')
    }

    // Every sheet as CSV: coverage-Coverage.csv, coverage-Locations.csv, with cells as shown.
    const csv = await office('--convert-to', `csv:${everySheet}`, 'coverage.ods')
    expect(csv.status, csv.stderr).toBe(0)
    for (const [sheet, query] of Object.entries(queries)) {
      const text = await readFile(join(profile, `coverage-${sheet}.csv`), 'utf8')
      const cast = (cell: string, { index, header }: { index: number; header: boolean }) =>
        index === 0 || header ? cell : cell === '' ? null : Number(cell)
      expect(parse(text, { columns: true, cast })).toEqual(withTotal(await demo.sql<Row>(query)))
    }
  })
})

function withTotal(rows: Row[]): Row[] {
  const [first = '', ...others] = Object.keys(rows[0] ?? {})
  const sum = (column: string) => rows.reduce((cents, row) => cents + Math.round(Number(row[column]) * 100), 0) / 100
  return [...rows, { [first]: 'total', ...Object.fromEntries(others.map((column) => [column, sum(column)])) }]
}

const at = () => new URL(demo.analystUrl)
const hostname = () => at().hostname
const port = () => at().port
const database = () => at().pathname.slice(1)
const username = () => at().username
const password = () => decodeURIComponent(at().password)
const dataSource = () => `[StudioInventory]
Driver = PostgreSQL Unicode
Servername = ${hostname()}
Port = ${port()}
Database = ${database()}
`
