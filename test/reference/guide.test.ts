import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { problem } from '../../src/api/problem.ts'
import type { Answer } from '../../src/database/answer.ts'
import { newToken, type Query, type RunningApp, startApp } from '../http/support.ts'
import { example } from './document.ts'

const run = promisify(execFile)
const token = newToken()
let app: RunningApp
let page: string
let records: { id: string; name: string; updated_at: string }[]
let questions: [page: number, since: string | null][]
/** What happens at the database before a question is answered. */
let happening: () => void

beforeAll(async () => {
  app = await startApp()
  page = (await app.get('/docs')).body
})
afterAll(() => app.close())
beforeEach(() => {
  questions = []
  happening = () => {}
  app.answer(answer)
  records = Array.from({ length: 230 }, (_, index) => ({
    id: `id-${index}`,
    name: `Item ${index}`,
    updated_at: new Date(Date.parse('2026-03-02T12:00:00Z') - index * 60_000).toISOString(),
  }))
})

/** A list of items, as the database answers it. */
function answer({ name, values }: Query): Partial<Answer> {
  if (name !== 'api_v1.list_items') throw new Error(`asked for ${name}`)
  const [, number, size, , , since] = values as [Buffer, number, number, null, null, string | null]
  questions.push([number, since])
  happening()
  const found = records
    .filter((record) => since === null || record.updated_at >= since)
    .toSorted((one, other) => (one.updated_at < other.updated_at ? 1 : -1))
  const shown = found.slice((number - 1) * size, number * size)
  return { status: 200, total: String(found.length), data: shown.map((record) => JSON.stringify(record)).join(',') }
}

/** Runs a program of the page as it stands, against the app. */
const runProgram = (name: string, more = '') => runScript(`${example(page, name)}\n${more}`)

async function runScript(text: string): Promise<string[]> {
  const script = text.replace('https://api.example.com', `http://127.0.0.1:${app.port}`)
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { env: { TOKEN: token } })
  return stdout.trimEnd().split('\n')
}

describe('the examples', () => {
  it('an answer and a problem are what the schemas say', () => {
    const schema = operations.find(({ path }) => path === '/items')?.schema
    expect(schema?.parse(JSON.parse(example(page, 'first-answer')))).toMatchObject({ meta: { next_page: 2 } })
    expect(problem.parse(JSON.parse(example(page, 'problem'))).code).toBe('invalid_parameter')
  })

  it('the program that pages reads every record once, in order', async () => {
    expect(await runProgram('paging')).toEqual(records.map(({ id, name }) => `${id} ${name}`))
  })

  it('the program that pages ends with the code and the request id when it is refused', async () => {
    app.answer(() => ({ status: 403 }))
    await expect(runProgram('paging')).rejects.toThrow(/plan_required [0-9a-f-]{36}: The studio's plan/)
  })
  it('the program that polls gives each change once, also one that appears with an earlier time', async () => {
    happening = () => {
      if (questions.length !== 6) return
      records.push({ id: 'late', name: 'Imported', updated_at: '2026-03-02T11:56:00.000Z' })
      Object.assign(records[200] ?? {}, { updated_at: '2026-03-02T12:00:03.000Z' })
    }
    const lines = await runProgram('changes', `console.log('again'); await poll((item) => console.log(item.id))`)
    expect(lines.slice(0, 230)).toEqual(records.slice(0, 230).map(({ id, name }) => `changed: ${id} ${name}`))
    expect(lines.slice(230)).toEqual(['again', 'id-200', 'late'])
    expect(questions.slice(0, 5).map(([number]) => number)).toEqual([1, 2, 3, 4, 5])
    expect(questions[0]?.[1]).toBe('2026-02-28T23:55:00.000Z')
    expect(questions.slice(5)).toEqual([[1, '2026-03-02T11:55:00.000Z']])
  })
  it('the program that polls misses nothing when a reading is cut short', async () => {
    let refused = false
    app.answer((query) => {
      if (questions.length !== 2 || refused) return answer(query)
      refused = true
      return { status: 403 }
    })
    const program = example(page, 'changes').replace(/await poll\(.*$/, '')
    const more = `const handle = (item) => console.log(item.id)
await poll(handle).catch((error) => console.log(error.message.slice(0, 13)))
await poll(handle)`
    const lines = await runScript(`${program}\n${more}`)
    expect(lines[100]).toBe('plan_required')
    expect(lines.toSpliced(100, 1).toSorted()).toEqual(records.map(({ id }) => id).toSorted())
  })
})
