import { afterAll, beforeAll, it } from 'vitest'
import { openSite, type Site } from './support.ts'
import { firstVisit, type Load } from './visits.ts'

/** The table of docs/performance.md (`npm run bench:pages`). */
const visits = 9

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

it('what a first visit to each page takes', { timeout: 300_000 }, async () => {
  const rows: string[] = []
  for (const path of ['/', '/docs']) {
    const times: Record<string, number[]> = { fast: [], slow: [] }
    let last: Load | undefined
    for (let visit = 0; visit < visits; visit++) {
      last = await firstVisit(site, path)
      times.fast?.push(last.usableMs)
      times.slow?.push((await firstVisit(site, path, true)).usableMs)
    }
    const median = (values: number[] = []) => values.toSorted((one, other) => one - other)[visits >> 1]
    const kilobytes = ((last?.bytes ?? 0) / 1_000).toFixed(1)
    rows.push(`| \`${path}\` | ${kilobytes} | ${last?.files} | ${median(times.fast)} | ${median(times.slow)} |`)
  }
  console.log(`\n${rows.join('\n')}`)
})
