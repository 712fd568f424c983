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

/** Two turns of the event loop: one in which answers arrive, one in which the next statement begins. */
const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

test('who comes in one turn of the event loop is judged together, who comes meanwhile with the next', async () => {
  const { statements, judge } = startPool()
  const answers = ['v0', 'v1'].map((version, n) => judge(Buffer.from([n]), version))
  await settled()
  answers.push(...Array.from({ length: 10 }, (_, n) => judge(Buffer.from([n + 2]), `v${n + 2}`)))
  await settled()
  expect(statements.map(({ versions }) => versions)).toEqual([['v0', 'v1']])
  statements[0]?.answer()
  await settled()
  expect(statements[1]?.versions).toEqual(Array.from({ length: 10 }, (_, n) => `v${n + 2}`))
  statements[1]?.answer()
  const all = await Promise.all(answers)
  expect(all.map(({ version, data }) => [version, data])).toEqual(all.map((_, n) => [`v${n}`, n]))
})

test('nobody is judged by a statement that began before they came', async () => {
  const { statements, judge } = startPool()
  const first = judge(Buffer.from([1]), 'a')
  await settled()
  const second = judge(Buffer.from([2]), 'b')
  statements[0]?.answer()
  await first
  await settled()
  expect(statements.map(({ versions }) => versions)).toEqual([['a'], ['b']])
  statements[1]?.answer()
  expect((await second).version).toBe('b')
})

test('a hundred at most are judged by one statement', async () => {
  const { statements, judge } = startPool()
  const answers = Array.from({ length: 150 }, (_, n) => judge(Buffer.from([n]), null))
  for (let n = 0; n < 2; n += 1) {
    await settled()
    statements[n]?.answer()
  }
  expect(statements.map(({ versions }) => versions.length)).toEqual([100, 50])
  await Promise.all(answers)
})

test('a statement that fails fails those who wait as well, and the next who comes is judged', async () => {
  const { statements, judge } = startPool()
  const ask = (n: number) => judge(Buffer.from([n]), null).catch((error: unknown) => error)
  const answers = [ask(0)]
  await settled()
  answers.push(ask(1), ask(2))
  statements[0]?.fail(Object.assign(new Error('Connection terminated unexpectedly'), {}))
  const all = await Promise.all(answers)
  expect(all.map((answer) => answer instanceof DatabaseUnavailable)).toEqual([true, true, true])
  const later = judge(Buffer.from([9]), 'later')
  await settled()
  statements[1]?.answer()
  expect((await later).version).toBe('later')
})

test('an answer too few is an error, never somebody else’s answer', async () => {
  const judge = createJudge({ query: async () => ({ rows: [] }) } as unknown as Pool)
  await expect(judge(Buffer.from([1]), null)).rejects.not.toBeInstanceOf(StatementFailed)
})
