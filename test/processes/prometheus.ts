import { execFile } from 'node:child_process'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse, stringify } from 'yaml'

export const alertsFile = join(import.meta.dirname, '../../docs/monitoring/alerts.yaml')

/** The value of each series of a scrape. */
export type Series = ReadonlyMap<string, number>

export function seriesIn(text: string): Series {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

export async function alertNames(): Promise<string[]> {
  const { groups } = parse(await readFile(alertsFile, 'utf8'))
  return groups.flatMap(({ rules }: { rules: { alert: string }[] }) => rules.map(({ alert }) => alert))
}

/** Half an hour: five healthy minutes, then what happens. A scrape every quarter of a minute. */
export type Scenario = {
  name: string
  /** As scraped while all was well. */
  before: Series
  then: Readonly<Record<string, number | { grows: number }>>
  /** The alerts that fire, sooner or later, and no other; none fires in the healthy minutes. */
  alerts: readonly string[]
}

const healthyScrapes = 20
const scrapes = 120

/** Has promtool evaluate the alerts. Returns what it finds wrong; empty if they fire rightly. */
export async function wrongAlerts(scenarios: readonly Scenario[]): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'studio-inventory-alerts-'))
  const file = join(folder.path, 'tests.yaml')
  const rules = await readFile(alertsFile, 'utf8')
  const tests = scenarios.map((scenario) => testOf(scenario, rules))
  await writeFile(file, stringify({ rule_files: [alertsFile], evaluation_interval: '15s', tests }))
  return await promisify(execFile)('promtool', ['test', 'rules', file]).then(
    () => '',
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  )
}

/** Only the series that the alerts mention: the others would take promtool most of its time. */
function testOf({ name, before, then, alerts }: Scenario, rules: string): object {
  const asked = [...before].filter(([series]) => rules.includes(series.split('{')[0] ?? ''))
  return {
    name,
    interval: '15s',
    input_series: asked.map(([series, value]) => ({ series: scraped(series), values: valuesOf(value, then[series]) })),
    promql_expr_test: [
      { expr: fired(healthyScrapes), eval_time: `${healthyScrapes / 4}m`, exp_samples: [] },
      {
        expr: fired(scrapes - healthyScrapes - 1),
        eval_time: `${scrapes / 4}m`,
        exp_samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
      },
    ],
  }
}

/** The alerts that have fired within so many scrapes. */
const fired = (count: number) => `group by (alertname) (max_over_time(ALERTS{alertstate="firing"}[${count * 15}s]))`

/** As Prometheus stores it. */
function scraped(series: string): string {
  const [, name, labels = ''] = /^([^{]*)\{?(.*?)\}?$/.exec(series) ?? []
  return `${name}{${[labels, 'job="studio-inventory"', 'instance="one"'].filter(Boolean).join(',')}}`
}

function valuesOf(value: number, then: Scenario['then'][string] | undefined): string {
  const left = scrapes - healthyScrapes
  if (then === undefined) return repeated(value, scrapes)
  if (typeof then === 'number') return `${repeated(value, healthyScrapes)} ${repeated(then, left)}`
  return `${repeated(value, healthyScrapes)} ${value + then.grows}+${then.grows}x${left}`
}

/** promtool's short form is for numbers alone. */
const repeated = (value: number, count: number) =>
  Number.isNaN(value) ? 'NaN '.repeat(count + 1).trim() : `${value}x${count}`
