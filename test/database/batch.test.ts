import { describe, expect, test } from 'vitest'
import { createBatch } from '../../src/database/batch.ts'
import { DatabaseUnavailable, StatementFailed } from '../../src/database/errors.ts'
import type { Pool } from '../../src/database/pool.ts'
import { fakePool } from '../support/fake-pool.ts'

type Row = { said: string }
type Sent = { words: string[]; answer(): void; fail(message: string): void }

const statement = { name: 'words', text: 'words' }

/** Sends the words of several requests in one statement. */
const asking = (pool: Pool) => (requests: readonly [string][]) =>
  pool.queryUninstrumented<Row>(statement, [requests.map(([word]) => word)])

/** A pool whose statements end when they are told to; each word is answered with itself. */
function startPool(maxSize = 100) {
  const sent: Sent[] = []
  const clock = { ms: 0 }
  const pool = fakePool(
    ({ values: [given] }) =>
      new Promise((resolve, reject) => {
        const words = given as string[]
        sent.push({
          words,
          answer: () => resolve(words.map((said) => ({ said }))),
          fail: (message) => reject(new Error(message)),
        })
      }),
  )
  const send = createBatch<Row, [string]>(pool, {
    ...{ name: statement.name, ask: asking(pool), keyOf: (word: string) => word, maxSize },
    now: () => clock.ms,
  })
  /** Lets so much time pass that a failure is not a quick one. */
  const passTime = () => {
    clock.ms += 150
  }
  return { sent, say: (word: string) => send(word).then(({ said }) => said), passTime }
}

/** Two turns of the event loop: one in which answers arrive, one in which the next statement begins. */
const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

const outcome = (answer: Promise<string>) => answer.catch((error: unknown) => error)

test('requests of one turn of the event loop are one batch, those that arrive meanwhile the next', async () => {
  const { sent, say } = startPool()
  const answers = [say('a'), say('b')]
  await settled()
  answers.push(say('c'), say('d'), say('e'))
  await settled()
  expect(sent.map(({ words }) => words)).toEqual([['a', 'b']])
  sent[0]?.answer()
  await settled()
  sent[1]?.answer()
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(sent.map(({ words }) => words)).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e'],
  ])
})

test('no request is answered by a statement that began before it arrived', async () => {
  const { sent, say } = startPool()
  const first = say('a')
  await settled()
  const second = say('b')
  sent[0]?.answer()
  await first
  await settled()
  expect(sent.map(({ words }) => words)).toEqual([['a'], ['b']])
  sent[1]?.answer()
  expect(await second).toBe('b')
})

test('PostgreSQL gets the next statement before the answers of the last one are handed on', async () => {
  const { sent, say } = startPool()
  const sentBefore: number[] = []
  const first = say('a').then(() => sentBefore.push(sent.length))
  await settled()
  const second = say('b')
  await settled()
  sent[0]?.answer()
  await first
  expect(sentBefore).toEqual([2])
  sent[1]?.answer()
  expect(await second).toBe('b')
})

test('who waits with the same values is answered by the same row, and asked for once', async () => {
  const { sent, say } = startPool()
  const answers = [say('a'), say('b'), say('a'), say('a')]
  await settled()
  expect(sent.map(({ words }) => words)).toEqual([['a', 'b']])
  answers.push(say('a'), say('a')) // what is under way began before these arrived
  await settled()
  sent[0]?.answer()
  expect(await Promise.all(answers.slice(0, 4))).toEqual(['a', 'b', 'a', 'a'])
  await settled()
  expect(sent.map(({ words }) => words)).toEqual([['a', 'b'], ['a']])
  sent[1]?.answer()
  expect(await Promise.all(answers.slice(4))).toEqual(['a', 'a'])
})

test('one statement at a time takes no more different values than it may', async () => {
  const { sent, say } = startPool(3)
  const answers = ['a', 'b', 'a', 'c', 'd', 'e'].map(say)
  await settled()
  expect(sent.map(({ words }) => words)).toEqual([['a', 'b', 'c']])
  sent[0]?.answer()
  await settled()
  expect(sent.slice(1).map(({ words }) => words)).toEqual([['d', 'e']])
  sent[1]?.answer()
  expect((await Promise.all(answers)).join('')).toBe('abacde')
})

describe('a statement that fails', () => {
  test('at once has each of its requests sent alone: no request fails because of another', async () => {
    const { sent, say } = startPool()
    const answers = ['a', 'b', 'c', 'b'].map((word) => outcome(say(word)))
    await settled()
    sent[0]?.fail('Connection terminated unexpectedly')
    await settled()
    sent[1]?.answer()
    sent[2]?.fail('division by zero')
    await settled()
    expect(sent.slice(1).map(({ words }) => words)).toEqual([['a'], ['b'], ['c']])
    sent[3]?.answer()
    expect(await Promise.all(answers)).toEqual(['a', expect.any(StatementFailed), 'c', expect.any(StatementFailed)])
  })

  test('is sent again, once, for several who share its only values', async () => {
    const { sent, say } = startPool()
    const answers = ['a', 'a', 'a'].map((word) => outcome(say(word)))
    await settled()
    sent[0]?.fail('terminating connection due to administrator command')
    await settled()
    sent[1]?.answer()
    expect(await Promise.all(answers)).toEqual(['a', 'a', 'a'])
    expect(sent).toHaveLength(2)
  })

  test('at once does not fail those who wait', async () => {
    const { sent, say } = startPool()
    const first = outcome(say('a'))
    await settled()
    const second = say('b')
    sent[0]?.fail('Connection terminated unexpectedly')
    expect(await first).toBeInstanceOf(DatabaseUnavailable)
    await settled()
    sent[1]?.answer()
    expect(await second).toBe('b')
  })

  test('after a while too has each sent alone, two at a time; who waits is not rejected', async () => {
    const { sent, say, passTime } = startPool()
    const answers = ['a', 'b', 'c', 'd'].map((word) => outcome(say(word)))
    await settled()
    const waiting = outcome(say('e'))
    passTime()
    sent[0]?.fail('canceling statement due to statement timeout')
    await settled()
    expect(sent.slice(1).map(({ words }) => words)).toEqual([['a'], ['b']])
    sent[1]?.answer()
    await settled()
    sent[3]?.answer()
    await settled()
    sent[4]?.answer()
    passTime()
    sent[2]?.fail('canceling statement due to statement timeout')
    expect(await Promise.all(answers)).toEqual(['a', expect.any(StatementFailed), 'c', 'd'])
    await settled()
    expect(sent.at(-1)?.words).toEqual(['e'])
    sent.at(-1)?.answer()
    expect(await waiting).toBe('e')
  })

  test('after a while, and alone for long again, fails the rest: nobody waits for all of them', async () => {
    const { sent, say, passTime } = startPool()
    const answers = ['a', 'b', 'c', 'd'].map((word) => outcome(say(word)))
    await settled()
    passTime()
    sent[0]?.fail('canceling statement due to lock timeout')
    await settled()
    passTime()
    sent[1]?.fail('canceling statement due to lock timeout')
    await settled()
    sent[2]?.answer()
    const ended = await Promise.all(answers)
    expect(ended.map((answer) => answer instanceof Error)).toEqual([true, false, true, true])
    expect(sent.map(({ words }) => words)).toEqual([['a', 'b', 'c', 'd'], ['a'], ['b']])
  })

  test('of a large batch does not take the whole pool', async () => {
    const { sent, say } = startPool()
    const answers = Array.from({ length: 100 }, (_, index) => say(String(index)))
    await settled()
    sent[0]?.fail('Connection terminated unexpectedly')
    for (let next = 1; next <= 100; next += 1) {
      await settled()
      expect(sent.length - next).toBeLessThanOrEqual(2)
      sent[next]?.answer()
    }
    expect(await Promise.all(answers)).toHaveLength(100)
  })

  test.each([
    ['silence', 'Query read timeout'],
    ['a pool without a free connection', 'timeout exceeded when trying to connect'],
  ])('by %s fails waiting requests as well, and the next one is sent', async (_, message) => {
    const { sent, say, passTime } = startPool()
    const answers = ['a', 'b'].map((word) => outcome(say(word)))
    await settled()
    answers.push(outcome(say('c')))
    passTime()
    sent[0]?.fail(message)
    const all = await Promise.all(answers)
    expect(all.map((answer) => answer instanceof DatabaseUnavailable)).toEqual([true, true, true])
    const next = say('d')
    await settled()
    expect(sent.map(({ words }) => words)).toEqual([['a', 'b'], ['d']])
    sent[1]?.answer()
    expect(await next).toBe('d')
  })
})

test('an answer too few is an error, never somebody else’s answer', async () => {
  const pool = fakePool(async () => [])
  const send = createBatch<Row, [string]>(pool, {
    ...{ name: statement.name, ask: asking(pool), keyOf: (word: string) => word, maxSize: 2 },
  })
  const answers = await Promise.allSettled([send('a'), send('b')])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
