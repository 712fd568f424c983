import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import vm from 'node:vm'
import { describe, expect, test } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { useTool } from './demo.ts'
import { recipes, requireTool } from './tools.ts'

/** These tools cannot run here, so the test runs the parts of their recipes that can. */
const demo = useTool({ analyst: true })

test('the SQL of the page for BI tools runs as an analyst and has every item', async () => {
  const page = await readFile(join(recipes, 'bi-tools/README.md'), 'utf8')
  const queries = [...page.matchAll(/^```sql\n(.*?)^```/gms)].map(([, query = '']) => query)
  const results = await withClient(demo.analystUrl, async (client) => {
    const rows: Record<string, unknown>[][] = []
    for (const query of queries) rows.push((await client.query(query)).rows)
    return rows
  })
  const sum = (rows: Record<string, unknown>[] = [], field = '') =>
    rows.reduce((total, row) => total + Math.round(Number(row[field]) * 100), 0) / 100
  const [{ located, dated }] = await demo.sql<{ located: number; dated: number }>(`
    select sum(purchase_price) filter (where location_id is not null)::float8 as located,
      sum(purchase_price) filter (where acquisition_date is not null)::float8 as dated from api_v1.items`)
  const [states, locations, months] = results
  expect(results).toHaveLength(3)
  expect([sum(states, 'items'), sum(locations, 'paid'), sum(months, 'paid')]).toEqual([250, located, dated])
})

describe('Google Sheets', () => {
  /** Stand-ins for Google's services; requests block, as they do there. */
  async function refresh(): Promise<{ rows: unknown[][]; formats: string[][]; waits: number[] }> {
    const pages = new Map<string, { status: number; headers: Record<string, string>; text: string }[]>()
    const written = { rows: [] as unknown[][], formats: [] as string[][], waits: [] as number[] }
    const properties: Record<string, string> = { API_URL: demo.service.url, TOKEN: demo.token }
    const range = {
      setNumberFormats(formats: string[][]) {
        written.formats = formats
      },
      setValues(rows: unknown[][]) {
        written.rows = rows
      },
    }
    const sheet = { clearContents() {}, getRange: (..._size: number[]) => range }
    class Missing extends Error {
      request: { url: string; headers: Record<string, string> }
      constructor(url: string, headers: Record<string, string>) {
        super(url)
        this.request = { url, headers }
      }
    }
    const sandbox = {
      PropertiesService: { getScriptProperties: () => ({ getProperty: (name: string) => properties[name] }) },
      SpreadsheetApp: { getActiveSpreadsheet: () => ({ getSheetByName: () => null, insertSheet: () => sheet }) },
      Utilities: { sleep: (ms: number) => void written.waits.push(ms) },
      UrlFetchApp: {
        fetch(url: string, { headers }: { headers: Record<string, string> }) {
          const answer = turns(url).shift()
          if (answer === undefined) throw new Missing(url, headers)
          return {
            getResponseCode: () => answer.status,
            getHeaders: () => answer.headers,
            getContentText: () => answer.text,
          }
        },
      },
    }
    const replay = new Map<string, number>()
    const turns = (url: string) => {
      const from = replay.get(url) ?? 0
      replay.set(url, from + 1)
      return (pages.get(url) ?? []).slice(from)
    }
    const script = await readFile(join(recipes, 'google-sheets/Code.gs'), 'utf8')
    for (;;) {
      replay.clear()
      written.waits = []
      try {
        vm.runInNewContext(`${script}; refreshItems()`, sandbox)
        return written
      } catch (error) {
        if (!(error instanceof Missing)) throw error
        const { url, headers } = error.request
        // The first answer says that the request came too fast.
        const responses = await Promise.all(
          Array.from({ length: pages.size === 0 ? 20 : 1 }, () => fetch(url, { headers })),
        )
        const response = responses.find(({ status }) => status === 429) ?? responses[0]
        if (response === undefined) throw new Error('nothing was answered')
        const answer = { status: response.status, headers: titled(response.headers), text: await response.text() }
        pages.set(url, [...(pages.get(url) ?? []), answer])
        if (answer.status === 429) await sleep(1000 * Number(response.headers.get('Retry-After')))
      }
    }
  }

  test('the script fills the sheet with every item, and waits when it has to', async () => {
    const { rows, formats, waits } = await refresh()
    const [{ paid }] = await demo.sql<{ paid: number }>('select sum(purchase_price)::float8 as paid from api_v1.items')
    const [names, ...items] = rows
    const column = names?.indexOf('purchase_price') ?? -1
    expect(items).toHaveLength(250)
    expect(new Set(items.map(([id]) => id)).size).toBe(250)
    expect(items.reduce((cents, row) => cents + Math.round(Number(row[column]) * 100), 0) / 100).toBe(paid)
    expect(formats[1]).toEqual(['@', '@', '@', '@', '0.00', '0.00', '@'])
    expect(waits.length).toBeGreaterThan(0)
  })

  /** Headers as some proxies write them. */
  const titled = (headers: Headers) =>
    Object.fromEntries(
      [...headers].map(([name, value]) => [name.replace(/\b\w/g, (letter) => letter.toUpperCase()), value]),
    )
})

describe('Power Query', () => {
  const parse = async (text: string) => {
    const { TaskUtils, DefaultSettings } = requireTool('@microsoft/powerquery-parser')
    const task = await TaskUtils.tryLexParse(DefaultSettings, text)
    return TaskUtils.isParseStageOk(task) ? '' : String(task.error?.message)
  }

  const read = (file: string) => readFile(join(recipes, 'power-query', file), 'utf8')

  test.each([
    ['StudioInventory.pq', 'then\n'],
    ['Items.pq', 'let\n'],
  ])('%s is what Microsoft’s parser reads', async (file, word) => {
    const text = await read(file)
    expect(await parse(text)).toBe('')
    expect(text).toContain(word)
    expect(await parse(text.replace(word, '\n'))).not.toBe('')
  })

  test('the query of Items.pq names a view, and columns of it, that an analyst reads', async () => {
    const text = await read('Items.pq')
    const [, schema, view] = /\[Schema = "(\w+)", Item = "(\w+)"\]/.exec(text) ?? []
    const [, from, to] = /\[(\w+)\] >= Start and \[(\w+)\] < End/.exec(text) ?? []
    expect([schema, view, from, to]).toEqual(['api_v1', 'items', 'created_at', 'created_at'])
    const ranges = `select count(*)::integer as items from ${schema}.${view}
      where ${from} >= $1::timestamptz and ${to} < $2::timestamptz`
    const middle = '2026-01-20T00:00:00Z'
    const counts = await withClient(demo.analystUrl, async (client) => {
      const counted: unknown[] = []
      for (const range of [
        ['2000-01-01', middle],
        [middle, '2100-01-01'],
      ]) {
        counted.push((await client.query(ranges, range)).rows[0])
      }
      return counted as { items: number }[]
    })
    expect(counts.reduce((sum, { items }) => sum + items, 0)).toBe(250)
    for (const { items } of counts) expect(items).toBeGreaterThan(0)
  })
})
