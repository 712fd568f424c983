import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useMetrics } from './support.ts'

const { scrape, ask } = useMetrics()

describe('docs/monitoring', () => {
  const file = (name: string) => readFile(join(import.meta.dirname, '../../docs', name), 'utf8')
  /** The names of metrics in an expression: words that are no function, label or keyword. */
  const namesIn = (expression: string) =>
    [...expression.matchAll(/\b(?:studio_inventory|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name)

  async function exposed(): Promise<Set<string>> {
    await ask('/v1/items')
    return new Set((await scrape()).split('\n').flatMap((line) => /^([a-z][a-z0-9_]*)[ {]/.exec(line)?.[1] ?? []))
  }

  test('every metric of the dashboard exists', async () => {
    type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] }
    const { panels } = JSON.parse(await file('monitoring/dashboard.json')) as Dashboard
    const names = await exposed()
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        expect(namesIn(expr).length, title).toBeGreaterThan(0)
        for (const name of namesIn(expr)) expect(names, title).toContain(name)
      }
    }
  })

  test('monitoring.md names each of our metrics, and no other', async () => {
    const page = await file('monitoring.md')
    const listed = [...page.matchAll(/^\| `(studio_inventory_[a-z_]+)/gm)].map(([, name]) => name)
    const own = [...(await scrape()).matchAll(/^# HELP (studio_inventory_[a-z_]+)/gm)].map(([, name]) => name)
    expect(listed.toSorted()).toEqual(own.toSorted())
  })
})
