import { loadavg } from 'node:os'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createToken, type Demo, openDemo } from './demo.ts'
import { serveReferences } from './references.ts'
import { firstVisit } from './visits.ts'

/** The tables of docs/performance.md (`npm run bench:pages`); with REFERENCES=true what others make of our description, too. */
const visits = 9

let demo: Demo
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo?.close())

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[visits >> 1]

/** A row of the table. */
async function rowOf(
  name: string,
  path: string,
  how: Parameters<typeof firstVisit>[2] = {},
  site: Parameters<typeof firstVisit>[0] = demo,
): Promise<string> {
  // Processes start with the first request.
  const { bytes, files } = await firstVisit(site, path, how)
  const [fast, slow]: [number[], number[]] = [[], []]
  for (let visit = 0; visit < visits; visit++) {
    fast.push((await firstVisit(site, path, how)).usableMs)
    slow.push((await firstVisit(site, path, { ...how, slow: true })).usableMs)
  }
  return `| ${name} | ${(bytes / 1_000).toFixed(1)} | ${files} | ${median(fast)} | ${median(slow)} |`
}

const print = (rows: readonly string[]) => console.log(`\n${rows.join('\n')}\nload ${loadavg()[0]?.toFixed(1)}`)

it('what a first visit to each page takes', { timeout: 600_000 }, async () => {
  const graphql = /GraphQL at (\S+)graphql,/.exec(demo.log())?.[1] ?? ''
  const { page } = await demo.as('owner')
  const tokens = page.url()
  const token = await createToken(page, 'Measured')
  for (const query of Array.from({ length: 50 }, (_, index) => `per_page=${index + 1}`)) {
    await fetch(`${demo.local}/v1/items?${query}`, { headers: { Authorization: `Bearer ${token}` } })
  }
  await page.goto(tokens)
  await page.getByRole('link', { name: 'Measured', exact: true }).click()
  const requests = () => page.reload().then(() => page.locator('tbody tr').count())
  await expect.poll(requests, { timeout: 20_000, interval: 500 }).toBe(50)
  const as = await page.context().storageState()
  print([
    await rowOf('`/`', '/'),
    await rowOf('`/docs`', '/docs'),
    await rowOf('the sign-in of the console', '/console'),
    await rowOf("the console's API tokens", tokens, { as }),
    await rowOf('the activity of a token, with 50 requests', page.url(), { as }),
    await rowOf('the page of GraphQL, with the schema', graphql),
  ])
})

it.runIf(process.env.REFERENCES === 'true')(
  'what a first visit to the references of others takes, with our description',
  { timeout: 900_000 },
  async () => {
    const description = await (await fetch(`${demo.local}/openapi.json`)).text()
    const { origin, references, close } = await serveReferences(description)
    try {
      const rows: string[] = []
      const site = { browser: demo.browser, origin }
      for (const { name, path, drawn } of references) rows.push(await rowOf(name, path, { drawn }, site))
      print(rows)
    } finally {
      await close()
    }
  },
)
