import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Audit, Finding } from '../../src/audit/findings.ts'
import { makeLogger } from '../../src/log.ts'
import { type AuditWatch, watchAudit, withAuditObjection } from '../../src/process/readiness.ts'

let lines: string[]
let watch: AuditWatch | undefined
beforeEach(() => {
  vi.useFakeTimers()
  lines = []
})
afterEach(() => {
  watch?.stop()
  vi.useRealTimers()
})

const tenMinutes = 600_000
const aMinute = 60_000
const log = makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(line) } })
const ready = { ready: true, schemaVersion: '000001.sql' } as const

function audit(...levels: Finding['level'][]): Audit {
  const finding = { rule: 'a_rule', object: 'app.items', finding: 'is wrong', why: 'Because.', remedy: 'fix it' }
  const findings = levels.map((level) => ({ ...finding, level }))
  return {
    database: 'd',
    serverVersion: '18.6',
    rules: ['a_rule'],
    findings,
    accepted: [],
    administrators: ['postgres (superuser)'],
    unseen: [],
  }
}

test('the service is not ready before the first audit; then it is ready if it is otherwise', async () => {
  let finish: (audit: Audit) => void = () => undefined
  const first = new Promise<Audit>((resolve) => {
    finish = resolve
  })
  watch = watchAudit(() => first, log)
  expect(withAuditObjection(ready, watch)).toEqual({ ready: false, reason: 'the audit has not finished yet' })
  finish(audit())
  await vi.advanceTimersByTimeAsync(0)
  expect(withAuditObjection(ready, watch)).toEqual(ready)
  const away = { ready: false, reason: 'the database cannot be used' } as const
  expect(withAuditObjection(away, watch)).toEqual(away)
})

test('errors make it unready until an audit finds none; asking runs no audit', async () => {
  const run = vi.fn(async () => audit('error', 'warning'))
  watch = watchAudit(run, log)
  await vi.advanceTimersByTimeAsync(0)
  for (let asked = 0; asked < 100; asked++) {
    expect(watch.objection()).toBe('the audit found errors: run studio-inventory audit')
  }
  expect(run).toHaveBeenCalledTimes(1)
  expect(lines.join('')).toContain('a_rule: app.items')
  run.mockResolvedValue(audit())
  await vi.advanceTimersByTimeAsync(tenMinutes)
  expect(watch.objection()).toBeUndefined()
})

test('an audit that cannot be run three times in succession is an objection, until it can', async () => {
  const run = vi.fn(async () => audit())
  watch = watchAudit(run, log)
  await vi.advanceTimersByTimeAsync(0)
  run.mockRejectedValue(new Error('a rule fails'))
  await vi.advanceTimersByTimeAsync(tenMinutes)
  await vi.advanceTimersByTimeAsync(aMinute)
  expect(watch.objection()).toBeUndefined()
  await vi.advanceTimersByTimeAsync(aMinute)
  expect(watch.objection()).toBe('the audit cannot be run: run studio-inventory audit')
  run.mockResolvedValue(audit())
  await vi.advanceTimersByTimeAsync(aMinute)
  expect(watch.objection()).toBeUndefined()
})

test('the log names the administrators at the start and whenever they change', async () => {
  const run = vi.fn(async () => audit())
  watch = watchAudit(run, log)
  await vi.advanceTimersByTimeAsync(2 * tenMinutes)
  run.mockResolvedValue({ ...audit(), administrators: ['backdoor (superuser)', 'postgres (superuser)'] })
  await vi.advanceTimersByTimeAsync(2 * tenMinutes)
  const told = lines.filter((line) => line.includes('the audit assumes that these are administrators'))
  expect(told).toHaveLength(2)
  expect(told[1]).toContain('backdoor (superuser)')
})
