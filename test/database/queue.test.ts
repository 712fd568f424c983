import { describe, expect, test } from 'vitest'
import { DatabaseUnavailable, Overloaded, StatementFailed } from '../../src/database/errors.ts'
import { poolOf } from '../../src/database/pool.ts'
import { createQueue } from '../../src/database/queue.ts'
import type { Driver } from '../../src/database/statement.ts'

type Sent = { words: string[]; answer(index?: number): void; fail(message: string, index?: number): void }

/** A pool whose statements end when they are told to; each word is answered with itself. One entry a connection that is taken. */
function startQueue({ concurrency = 1, maxPipelined = 4, maxWaiting = 100, again = '' } = {}) {
  const sent: Sent[] = []
  let [lent, returned] = [0, 0]
  const driver = {
    ...{ totalCount: 0, idleCount: 0, waitingCount: 0 },
    // Only what is sent again is not sent on a connection that was taken.
    query: async ({ values: [word] }: { values: unknown[] }) => {
      if (again !== '') throw new Error(again)
      return { rows: [{ said: `${word} again` }] }
    },
    end: async () => undefined,
    async connect() {
      lent += 1
      const words: string[] = []
      const ends: { resolve(result: { rows: object[] }): void; reject(error: Error): void }[] = []
      const which = (index: number | undefined) => (index === undefined ? [...ends.keys()] : [index])
      sent.push({
        words,
        answer: (index) => {
          for (const n of which(index)) ends[n]?.resolve({ rows: [{ said: words[n] }] })
        },
        fail: (message, index) => {
          for (const n of which(index)) ends[n]?.reject(new Error(message))
        },
      })
      const query = ({ values: [word] }: { values: string[] }) =>
        new Promise((resolve, reject) => {
          words.push(String(word))
          ends.push({ resolve, reject })
        })
      return { query, release: () => (returned += 1) }
    },
  }
  const pool = poolOf(driver as unknown as Driver, { size: concurrency, maxWaiting })
  const clock = { ms: 0 }
  const send = createQueue(pool, { concurrency, maxPipelined, now: () => clock.ms })
  const statement = { name: 'words', text: 'words' }
  const say = async (word: string) => (await send<{ said: string }>(statement, [word]))[0]?.said
  /** Lets so much time pass that a failure is not a quick one. */
  const passTime = () => {
    clock.ms += 150
  }
  return { sent, say, stats: pool.stats, open: () => lent - returned, passTime }
}

/** Two turns of the event loop: one in which answers arrive, one in which the next statement begins. */
const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

const outcome = (answer: Promise<unknown>) => answer.catch((error: unknown) => error)

test('statements that wait are sent together on the next free connection, in order and no more than may be', async () => {
  const { sent, say, open } = startQueue({ concurrency: 2, maxPipelined: 3 })
  const answers = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(say)
  await settled()
  expect(sent.map(({ words }) => words.join(''))).toEqual(['abc', 'def'])
  sent[1]?.answer()
  await settled()
  expect(sent.map(({ words }) => words.join(''))).toEqual(['abc', 'def', 'gh'])
  sent[0]?.answer()
  sent[2]?.answer()
  expect((await Promise.all(answers)).join('')).toBe('abcdefgh')
  await settled()
  expect(open()).toBe(0)
})

test('while connections are free each statement has its own', async () => {
  const { sent, say } = startQueue({ concurrency: 2 })
  const answers = ['a', 'b'].map(say)
  await settled()
  expect(sent.map(({ words }) => words)).toEqual([['a'], ['b']])
  for (const connection of sent) connection.answer()
  expect(await Promise.all(answers)).toEqual(['a', 'b'])
})

test('an answer is given as soon as it is there, whatever takes long behind it', async () => {
  const { sent, say } = startQueue()
  const [first, second] = ['a', 'b'].map(say)
  await settled()
  sent[0]?.answer(0)
  expect(await first).toBe('a')
  sent[0]?.answer(1)
  expect(await second).toBe('b')
})

test('a statement that fails fails alone', async () => {
  const { sent, say } = startQueue()
  const answers = ['a', 'b', 'c'].map((word) => outcome(say(word)))
  await settled()
  sent[0]?.fail('division by zero', 1)
  sent[0]?.answer(0)
  sent[0]?.answer(2)
  expect(await Promise.all(answers)).toEqual(['a', expect.any(StatementFailed), 'c'])
})

describe('a database that cannot be used', () => {
  test('does not fail those who wait when it says so at once', async () => {
    const { sent, say } = startQueue()
    const first = outcome(say('a'))
    await settled()
    const second = say('b')
    sent[0]?.fail('Connection terminated unexpectedly')
    expect(await first).toBeInstanceOf(DatabaseUnavailable)
    await settled()
    sent[1]?.answer()
    expect(await second).toBe('b')
  })

  test('for one of those that were sent together fails that one: those behind it are sent again, alone', async () => {
    const { sent, say, open } = startQueue()
    const answers = ['a', 'b', 'c', 'd'].map((word) => outcome(say(word)))
    await settled()
    sent[0]?.answer(0)
    sent[0]?.fail('Connection terminated unexpectedly', 1)
    sent[0]?.fail('Connection terminated unexpectedly', 2)
    sent[0]?.fail('Query read timeout', 3)
    expect((await Promise.all(answers)).map(String)).toEqual(['a', 'b again', 'c again', 'd again'])
    await settled()
    expect(open()).toBe(0)
  })

  test('for a statement, and then for one behind it alone, fails the rest', async () => {
    const { sent, say } = startQueue({ again: 'Connection terminated unexpectedly' })
    const answers = ['a', 'b', 'c'].map((word) => outcome(say(word)))
    await settled()
    for (const index of [0, 1, 2]) sent[0]?.fail('Connection terminated unexpectedly', index)
    const all = await Promise.all(answers)
    expect(all.map((answer) => answer instanceof DatabaseUnavailable)).toEqual([true, true, true])
  })

  test('that takes too long for a statement does not fail those who have just come', async () => {
    const { sent, say, passTime } = startQueue()
    const first = outcome(say('a'))
    await settled()
    const second = say('b')
    passTime()
    sent[0]?.fail('Connection terminated unexpectedly')
    expect(await first).toBeInstanceOf(DatabaseUnavailable)
    await settled()
    sent[1]?.answer()
    expect(await second).toBe('b')
  })

  test.each([
    ['it was silent', 'Query read timeout'],
    ['there was no free connection', 'timeout exceeded when trying to connect'],
  ])('fails those who wait when %s for long, and the next one is sent', async (_, message) => {
    const { sent, say, passTime } = startQueue()
    const answers = [outcome(say('a'))]
    await settled()
    answers.push(outcome(say('b')), outcome(say('c')))
    passTime()
    sent[0]?.fail(message)
    const all = await Promise.all(answers)
    expect(all.map((answer) => answer instanceof DatabaseUnavailable)).toEqual([true, true, true])
    const later = say('d')
    await settled()
    expect(sent.map(({ words }) => words)).toEqual([['a'], ['d']])
    sent[1]?.answer()
    expect(await later).toBe('d')
  })

  test('is none when it answered others meanwhile: one statement that took too long fails nobody else', async () => {
    const { sent, say, passTime } = startQueue({ concurrency: 2, maxPipelined: 1 })
    const [slow, quick] = ['a', 'b'].map((word) => outcome(say(word)))
    await settled()
    const waiting = ['c', 'd'].map(say)
    passTime()
    sent[1]?.answer()
    expect(await quick).toBe('b')
    sent[0]?.fail('Query read timeout')
    expect(await slow).toBeInstanceOf(DatabaseUnavailable)
    await settled()
    for (const connection of sent.slice(2)) connection.answer()
    expect(await Promise.all(waiting)).toEqual(['c', 'd'])
  })
})

test('no more statements wait than may', async () => {
  const { sent, say, stats } = startQueue({ maxPipelined: 1, maxWaiting: 2 })
  const answers = [say('a')]
  await settled()
  answers.push(say('b'), say('c'))
  await expect(say('d')).rejects.toThrow(Overloaded)
  expect(stats()).toMatchObject({ waiting: 2, refused: 1 })
  for (let n = 0; n < 3; n++) {
    sent[n]?.answer()
    await settled()
  }
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c'])
  expect(stats()).toMatchObject({ waiting: 0 })
})
