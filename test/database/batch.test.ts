import { describe, expect, test } from 'vitest'
import { createBatch } from '../../src/database/batch.ts'
import { DatabaseUnavailable, StatementFailed } from '../../src/database/errors.ts'
import { fakePool } from '../support/fake-pool.ts'

type Row = { said: string }
type Sent = { text: string; words: string[]; answer(): void; fail(message: string): void }

/** A pool whose statements end when they are told to; each word is answered with itself. */
function startPool(options: { concurrency?: number; maxSize?: number; one?: boolean } = {}) {
  const sent: Sent[] = []
  const pool = fakePool(
    ({ text, values: [value] }) =>
      new Promise((resolve, reject) => {
        const words = [value as string | string[]].flat()
        sent.push({
          text,
          words,
          answer: () => resolve(words.map((said) => ({ said }))),
          fail: (message) => reject(new Error(message)),
        })
      }),
  )
  const { concurrency = 1, maxSize = 100, one = true } = options
  const statements = { many: { name: 'many', text: 'many' }, ...(one && { one: { name: 'one', text: 'one' } }) }
  const send = createBatch<Row>(pool, { name: 'words', ...statements, concurrency, maxSize })
  return { sent, say: (word: string) => send(word).then(({ said }) => said) }
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

test('a single request has the statement for one, where there is one', async () => {
  for (const [one, text] of [
    [true, 'one'],
    [false, 'many'],
  ] as const) {
    const { sent, say } = startPool({ one })
    const answer = say('a')
    await settled()
    expect(sent.map((statement) => [statement.text, statement.words])).toEqual([[text, ['a']]])
    sent[0]?.answer()
    expect(await answer).toBe('a')
  }
})

test('no more statements are under way at once than may be, and those who wait are divided among them', async () => {
  const { sent, say } = startPool({ concurrency: 2, maxSize: 3 })
  const answers = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(say)
  await settled()
  expect(sent.map(({ words }) => words.length)).toEqual([3, 3])
  sent[1]?.answer()
  await settled()
  expect(sent.map(({ words }) => words)).toEqual([
    ['a', 'b', 'c'],
    ['d', 'e', 'f'],
    ['g', 'h'],
  ])
  sent[0]?.answer()
  sent[2]?.answer()
  expect((await Promise.all(answers)).join('')).toBe('abcdefgh')
  const two = ['i', 'j'].map(say)
  await settled()
  expect(sent.slice(3).map(({ words }) => words)).toEqual([['i'], ['j']])
  for (const statement of sent.slice(3)) statement.answer()
  await Promise.all(two)
})

describe('a statement that fails', () => {
  test('at once has each of its requests sent alone: no request fails because of another', async () => {
    const { sent, say } = startPool()
    const answers = ['a', 'b', 'c'].map((word) => outcome(say(word)))
    await settled()
    sent[0]?.fail('Connection terminated unexpectedly')
    await settled()
    expect(sent.slice(1).map(({ words }) => words)).toEqual([['a'], ['b'], ['c']])
    sent[1]?.answer()
    sent[2]?.fail('division by zero')
    sent[3]?.answer()
    expect(await Promise.all(answers)).toEqual(['a', expect.any(StatementFailed), 'c'])
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

  test('after a while fails waiting requests as well, and the next one is sent', async () => {
    const { sent, say } = startPool()
    const answers = ['a', 'b'].map((word) => outcome(say(word)))
    await settled()
    answers.push(outcome(say('c')))
    await new Promise((resolve) => setTimeout(resolve, 150))
    sent[0]?.fail('Query read timeout')
    const all = await Promise.all(answers)
    expect(all.map((answer) => answer instanceof DatabaseUnavailable)).toEqual([true, true, true])
    const later = say('d')
    await settled()
    expect(sent.map(({ words }) => words)).toEqual([['a', 'b'], ['d']])
    sent[1]?.answer()
    expect(await later).toBe('d')
  })
})

test('an answer too few is an error, never somebody else’s answer', async () => {
  const many = { name: 'many', text: 'many' }
  const send = createBatch<Row>(
    fakePool(async () => []),
    { name: 'words', many, concurrency: 1, maxSize: 2 },
  )
  const answers = await Promise.allSettled([send('a'), send('b')])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
