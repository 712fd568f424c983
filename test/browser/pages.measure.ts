import { afterAll, beforeAll, it } from 'vitest'
import { type Demo, openDemo } from './demo.ts'
import { firstVisit, type Load } from './visits.ts'

/** The table of docs/performance.md (`npm run bench:pages`). */
const visits = 9

let demo: Demo
let graphql: string
beforeAll(async () => {
  demo = await openDemo()
  graphql = /GraphQL at (\S+)graphql,/.exec(demo.log())?.[1] ?? ''
})
afterAll(() => demo?.close())

it('what a first visit to each page takes', { timeout: 300_000 }, async () => {
  const rows: string[] = []
  for (const [name, path] of [
    ['`/`', '/'],
    ['`/docs`', '/docs'],
    ['the sign-in of the console', '/console'],
    ['the page of GraphQL', graphql],
  ] as const) {
    // Its process starts with the first request.
    await firstVisit(demo, path)
    const times: Record<string, number[]> = { fast: [], slow: [] }
    let last: Load | undefined
    for (let visit = 0; visit < visits; visit++) {
      last = await firstVisit(demo, path)
      times.fast?.push(last.usableMs)
      times.slow?.push((await firstVisit(demo, path, true)).usableMs)
    }
    const median = (values: number[] = []) => values.toSorted((one, other) => one - other)[visits >> 1]
    const kilobytes = ((last?.bytes ?? 0) / 1_000).toFixed(1)
    rows.push(`| ${name} | ${kilobytes} | ${last?.files} | ${median(times.fast)} | ${median(times.slow)} |`)
  }
  console.log(`\n${rows.join('\n')}`)
})
