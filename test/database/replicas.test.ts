import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Answer } from '../../src/database/answer.ts'
import { replicasOf } from '../../src/database/replicas.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { fakePool } from '../support/fake-pool.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

type Sent = { what: string; answer(): Promise<unknown>; fail(): Promise<unknown> }

const settled = () => vi.advanceTimersByTimeAsync(0)
const answerFrom = (where: string) => ({ data: where }) as Answer

/** Replicas whose statements end when they are told to, and a primary that is idle or not. */
function start({ replicas: count = 1, connections = 1 } = {}) {
  const primary = { size: 3, idle: 3, waiting: 0, refused: 0 }
  const sent: Sent[] = []
  const send = (where: string, word: unknown) =>
    new Promise<Answer>((resolve, reject) => {
      const end = (settle: () => void) => () => {
        settle()
        return settled()
      }
      sent.push({
        what: `${where} ${word}`,
        answer: end(() => resolve(answerFrom(where))),
        fail: end(() => reject(Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' }))),
      })
    })
  const pools = Array.from({ length: count }, (_, n) => {
    const name = `replica ${n + 1}`
    return { name, pool: fakePool(async ({ values: [word] }) => [await send(name, word)], connections) }
  })
  const replicas = replicasOf(pools, {
    primary: { stats: () => primary },
    backoffMs: [1_000],
    log: makeLogger({ level: 'silent', fileDescriptor: 2 }),
  })
  const statement = { name: 'words', text: 'words' }
  const read = async (word: string) =>
    (
      await replicas.query(
        statement,
        [word],
        () => true,
        () => send('primary', word),
      )
    ).data
  const whats = () => sent.map(({ what }) => what)
  const inUse = () => replicas.states().map((state) => state.inUse)
  return { primary, sent, read, whats, inUse }
}

test('reads wait for whichever replica is free first, in the order of their arrival', async () => {
  const { sent, read, whats } = start({ replicas: 2 })
  const answers = ['a', 'b', 'c', 'd'].map(read)
  await settled()
  expect(whats()).toEqual(['replica 1 a', 'replica 2 b'])
  await sent[1]?.answer()
  await sent[2]?.answer()
  expect(whats().slice(2)).toEqual(['replica 2 c', 'replica 2 d'])
  await sent[0]?.answer()
  await sent[3]?.answer()
  expect(await Promise.all(answers)).toEqual(['replica 1', 'replica 2', 'replica 2', 'replica 2'])
})

test('an idle primary takes what has waited for 50 milliseconds, one read at a time', async () => {
  const { sent, read, whats } = start()
  const answers = ['a', 'b', 'c'].map(read)
  await vi.advanceTimersByTimeAsync(49)
  expect(whats()).toEqual(['replica 1 a'])
  await vi.advanceTimersByTimeAsync(1)
  expect(whats()).toEqual(['replica 1 a', 'primary b'])
  await sent[1]?.answer()
  expect(whats().slice(2)).toEqual(['primary c'])
  for (const one of sent) await one.answer()
  expect(await Promise.all(answers)).toEqual(['replica 1', 'primary', 'primary'])
})

test.each([
  ['runs a statement', { idle: 2 }],
  ['has requests that wait to be authenticated', { waiting: 1 }],
])('a primary that %s takes no read', async (_what, state) => {
  const { primary, sent, read, whats } = start()
  Object.assign(primary, state)
  const answers = ['a', 'b'].map(read)
  await vi.advanceTimersByTimeAsync(100)
  expect(whats()).toEqual(['replica 1 a'])
  await sent[0]?.answer()
  expect(whats().slice(1)).toEqual(['replica 1 b'])
  await sent[1]?.answer()
  await Promise.all(answers)
})

test('a read waits half a second for a replica, then the primary reads; a busy replica stays in use', async () => {
  const { primary, sent, read, whats, inUse } = start()
  primary.idle = 0
  const answers = ['a', 'b'].map(read)
  await vi.advanceTimersByTimeAsync(499)
  expect(whats()).toEqual(['replica 1 a'])
  await vi.advanceTimersByTimeAsync(1)
  expect(whats()).toEqual(['replica 1 a', 'primary b'])
  expect(inUse()).toEqual([true])
  for (const one of sent) await one.answer()
  expect(await Promise.all(answers)).toEqual(['replica 1', 'primary'])
})

test('when the last replica fails, the primary reads for it and for all that waited, at once', async () => {
  const { sent, read, whats, inUse } = start()
  const answers = ['a', 'b', 'c'].map(read)
  await settled()
  await sent[0]?.fail()
  expect(whats()).toEqual(['replica 1 a', 'primary b', 'primary c', 'primary a'])
  expect(inUse()).toEqual([false])
  for (const one of sent.slice(1)) await one.answer()
  expect(await Promise.all(answers)).toEqual(['primary', 'primary', 'primary'])
})

test('after the backoff a replica gets the next statement too, whose request does not wait for it', async () => {
  const { sent, read, whats, inUse } = start()
  const failing = read('a')
  await settled()
  await sent[0]?.fail()
  await sent[1]?.answer()
  await failing
  await vi.advanceTimersByTimeAsync(1_000)
  const answer = read('b')
  await settled()
  expect(whats().slice(2)).toEqual(['replica 1 b', 'primary b'])
  await sent[3]?.answer()
  expect(await answer).toBe('primary')
  await sent[2]?.answer()
  expect(inUse()).toEqual([true])
})
