import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { asText, makeLogger, requestErrors, requestLines, withoutSecrets } from '../../src/log.ts'

function logged(level: string, write: (log: ReturnType<typeof makeLogger>) => void): string[] {
  const lines: string[] = []
  write(makeLogger({ level, stream: { write: (line) => void lines.push(line) } }))
  return lines
}

const token = `svc_studio_abcd${'X'.repeat(28)}`

it('writes one JSON object per line, with a time and a level by name', () => {
  const [line = ''] = logged('info', (log) => log.info({ requestId: 'r-1' }, 'served'))
  expect(JSON.parse(line)).toEqual({ level: 'info', time: expect.any(String), requestId: 'r-1', msg: 'served' })
})

it.each([
  [
    { msg: 'request', method: 'GET', route: '/v1/items/{id}', status: 404, duration_ms: 3.4, request_id: 'r' },
    '404 GET /v1/items/{id}  3 ms',
  ],
  [{ from: 'graphile-migrate', msg: 'graphile-migrate: 2 migrations' }, '2 migrations'],
  [{ msg: 'made', studios: ['One', 'Two'], ms: 7 }, 'made: studios One, Two, ms 7'],
  [{ msg: 'failed', err: { type: 'Error', stack: 'Error: no\n  at x' } }, 'failed: err Error: no\n  at x'],
])('is one short line for people: %j', (fields, expected) => {
  const time = new Date(2026, 0, 31, 9, 5, 7).toISOString()
  expect(asText(JSON.stringify({ level: 'info', ...fields, time }))).toBe(`09:05:07  ${expected}\n`)
})

it('keeps no more of an access token than its display prefix, wherever it is', () => {
  const lines = logged('trace', (log) => {
    log.info(`called with ${token}`)
    log.info({ url: `/v1/items?key=${token}`, deep: { list: [token] } }, 'x')
    log.error(new Error(`no ${token}`))
  })
  expect(lines).toHaveLength(3)
  for (const line of lines) {
    expect(line).toContain('svc_studio_abcd…')
    expect(line).not.toContain('XXXX')
  }
})

it('masks passwords in URLs and fields named like a secret', () => {
  const lines = logged('trace', (log) => {
    log.error(new Error('connect postgres://studio_api:hunter2@db:5432/x failed'))
    log.info({ password: 'hunter2', request: { headers: { authorization: 'hunter2', cookie: 'hunter2' } } }, 'x')
    log.info(
      { raw: ['authorization', 'hunter3'], headers: { Authorization: ['hunter2', 'hunter2 "x]" hunter2'] } },
      'x',
    )
    log.info({ config: { secretKey: 'hunter2', otherSecretKeys: ['hunter2'], connectionString: 'hunter2' } }, 'x')
  })
  for (const line of lines) expect(line).not.toContain('hunter2')
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow()
  const masked = { password: '[secret]', request: { headers: { cookie: '[secret]' } } }
  expect(JSON.parse(lines[1] ?? '')).toMatchObject(masked)
  expect(lines[0]).toContain('postgres://studio_api:***@db:5432/x')
})

it('leaves ordinary text alone', () => {
  const text = 'GET http://localhost:3000/v1/items?since=10:20@x svc_pro_abcd mail a@b.c'
  expect(withoutSecrets(text)).toBe(text)
})

it.each([
  ['goes on: within a second', 'setTimeout(() => process.kill(process.pid, "SIGKILL"), 1000)', null],
  ['ends by itself', '', 0],
  ['exits', 'process.exit(3)', 3],
  ['throws', 'setTimeout(() => { throw new Error("of a test") }, 5)', 1],
])('has written its lines when the process %s', async (_how, end, expected) => {
  const source = join(import.meta.dirname, '../../src/log.ts')
  // Every second line belongs to a request, and is made with its block.
  const script = `import { makeLogger, requestLines } from '${source}'
    const log = makeLogger({ level: 'info' })
    const request = requestLines(log)
    for (let line = 0; line < 100; line += 1) {
      if (line % 2 === 0) log.info({ line, at: Date.now() }, 'one of a hundred')
      else request('info', { line, at: Date.now() })
    }
    ${end}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const status = await new Promise((resolve) => child.on('close', resolve))
  expect(status).toBe(expected)
  const lines: { line: number; at: number; time: string }[] = JSON.parse(`[${output.trim().split('\n')}]`)
  expect(lines.map(({ line }) => line)).toEqual(Array.from({ length: 100 }, (_, line) => line))
  // However late it is written, a line has the time of what it says.
  const times = lines.flatMap(({ at, time }) => [at, Date.parse(time)])
  expect(times).toEqual(times.toSorted((one, other) => one - other))
})

describe('the line of a request', () => {
  const fields = { request_id: 'an id', parameters: ['page'], duration_ms: 1.5, token_id: undefined }
  const without = (lines: string[]) => lines.map((line) => line.replace(/"time":"[^"]*"/, '"time":""'))

  it('is what the log itself would write', () => {
    for (const level of ['info', 'error'] as const) {
      const lines: string[] = []
      const log = makeLogger({ level: 'info', stream: { write: (line) => void lines.push(line) } })
      log[level](fields, 'request')
      requestLines(log)(level, fields)
      expect(without(lines.slice(1))).toEqual(without(lines.slice(0, 1)))
    }
  })

  it('is left out below the level', () => {
    expect(logged('error', (log) => requestLines(log)('info', fields))).toEqual([])
    expect(logged('error', (log) => requestLines(log)('error', fields))).toHaveLength(1)
  })
})

it('has an error that every request meets once a second, and says how many were left out', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const lines = logged('error', (log) => {
    const write = requestErrors(log)
    for (let request = 0; request < 500; request += 1)
      write({ request_id: request }, new Error('no database'), 'failed')
    write({ request_id: 'r' }, new TypeError('a mistake'), 'failed')
    vi.advanceTimersByTime(1_000)
    write({ request_id: 501 }, new Error('no database'), 'failed')
    vi.advanceTimersByTime(5_000)
  }).map((line) => JSON.parse(line))
  const stack = (message: string) => expect.objectContaining({ stack: expect.stringContaining(message) })
  expect(lines.map(({ request_id, err, reason, left_out }) => ({ request_id, err, reason, left_out }))).toEqual([
    { request_id: 0, err: stack('no database') },
    { request_id: 'r', err: stack('a mistake') },
    { reason: 'Error: no database', left_out: 499 },
    { request_id: 501, err: stack('no database') },
  ])
})
