import { expect, test } from 'vitest'
import { createJudge } from '../../src/api/judge.ts'
import { DatabaseUnavailable, StatementFailed } from '../../src/database/errors.ts'
import type { Pool } from '../../src/database/pools.ts'

type Asked = { versions: (string | null)[]; answer(): void; fail(error: Error): void }

/** A pool whose statements end when they are told to; each token is answered with its own version. */
function startPool() {
  const statements: Asked[] = []
  const query = ({ values: [digests, versions] }: { values: [Buffer[], (string | null)[]] }) =>
    new Promise((resolve, reject) => {
      statements.push({
        versions,
        answer: () =>
          resolve({ rows: versions.map((version, n) => ({ status: 304, version, data: digests[n]?.[0] })) }),
        fail: reject,
      })
    })
  return { statements, judge: createJudge({ query } as unknown as Pool) }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('who comes while two statements judge is judged with the next, each by its own token and version', async () => {
  const { statements, judge } = startPool()
  const answers = Array.from({ length: 12 }, (_, n) => judge(Buffer.from([n]), `v${n}`))
  expect(statements.map(({ versions }) => versions)).toEqual([['v0'], ['v1']])
  statements[0]?.answer()
  await settled()
  expect(statements[2]?.versions).toEqual(Array.from({ length: 10 }, (_, n) => `v${n + 2}`))
  for (const { answer } of statements) answer()
  const all = await Promise.all(answers)
  expect(all.map(({ version, data }) => [version, data])).toEqual(all.map((_, n) => [`v${n}`, n]))
})

test('nobody is judged by a statement that began before they came', async () => {
  const { statements, judge } = startPool()
  const first = judge(Buffer.from([1]), 'a')
  const second = judge(Buffer.from([2]), 'b')
  const third = judge(Buffer.from([3]), 'c')
  statements[0]?.answer()
  await first
  await settled()
  expect(statements).toHaveLength(3)
  statements[2]?.answer()
  expect((await third).version).toBe('c')
  statements[1]?.answer()
  await second
})

test('a hundred at most are judged by one statement', async () => {
  const { statements, judge } = startPool()
  const answers = Array.from({ length: 150 }, (_, n) => judge(Buffer.from([n]), null))
  for (let n = 0; n < 4; n += 1) {
    statements[n]?.answer()
    await settled()
  }
  expect(statements.map(({ versions }) => versions.length)).toEqual([1, 1, 100, 48])
  await Promise.all(answers)
})

test('a statement that fails fails those who wait as well, and the next who comes is judged', async () => {
  const { statements, judge } = startPool()
  const answers = Array.from({ length: 5 }, (_, n) => judge(Buffer.from([n]), null).catch((error: unknown) => error))
  statements[0]?.fail(Object.assign(new Error('Connection terminated unexpectedly'), {}))
  await settled()
  statements[1]?.answer()
  const all = await Promise.all(answers)
  expect(all.map((answer) => answer instanceof DatabaseUnavailable)).toEqual([true, false, true, true, true])
  const later = judge(Buffer.from([9]), 'later')
  statements[2]?.answer()
  expect((await later).version).toBe('later')
})

test('an answer too few is an error, never somebody else’s answer', async () => {
  const judge = createJudge({ query: async () => ({ rows: [] }) } as unknown as Pool)
  await expect(judge(Buffer.from([1]), null)).rejects.not.toBeInstanceOf(StatementFailed)
})
