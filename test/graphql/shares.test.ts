import { expect, test } from 'vitest'
import { Abandoned, Busy, createShares } from '../../src/apps/graphql/shares.ts'

const minute = 60_000

/** Who runs, in the order in which they got their turns. */
function line(options: Partial<Parameters<typeof createShares>[0]> = {}) {
  const shares = createShares({ turns: 4, maxWaiting: 10, waitMs: minute, ...options })
  const ran: string[] = []
  const ends: (() => void)[] = []
  const come = async (person: string) => {
    const end = await shares.enter(person)
    ran.push(person)
    ends.push(end)
  }
  return { shares, ran, ends, come }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('one person has half of the turns, and somebody else always finds one', async () => {
  const { ran, come } = line()
  for (let n = 0; n < 6; n++) void come('a')
  await settled()
  expect(ran).toEqual(['a', 'a'])
  void come('b')
  void come('b')
  await settled()
  expect(ran).toEqual(['a', 'a', 'b', 'b'])
})

test('those who wait come a person at a time, not in the order of their requests', async () => {
  const { ran, ends, come } = line({ turns: 2 })
  for (const person of ['a', 'b', 'a', 'a', 'a', 'b', 'c']) void come(person)
  await settled()
  expect(ran).toEqual(['a', 'b'])
  for (let n = 0; n < 6; n++) {
    ends[n]?.()
    await settled()
  }
  expect(ran.slice(2).toSorted()).toEqual(['a', 'a', 'a', 'b', 'c'])
  expect(ran.slice(0, 5)).toContain('c')
})

test('a turn that is ended twice is given back once', async () => {
  const { shares, ran, come } = line({ turns: 1 })
  const end = await shares.enter('a')
  for (const person of ['b', 'c']) void come(person)
  end()
  end()
  await settled()
  expect(ran).toEqual(['b'])
})

test('more requests of one person than may wait are refused, and so is one that waits for too long', async () => {
  const { shares } = line({ turns: 2, maxWaiting: 1, waitMs: 20 })
  await shares.enter('a')
  const waits = shares.enter('a')
  await expect(shares.enter('a')).rejects.toThrow(Busy)
  await expect(waits).rejects.toThrow(Busy)
  expect(await shares.enter('b')).toBeTypeOf('function')
})

test('whoever leaves gives up the place in the line, and takes no turn', async () => {
  const { shares, ran, ends, come } = line({ turns: 2, maxWaiting: 1 })
  await come('a')
  const left = new AbortController()
  const waits = shares.enter('a', left.signal)
  left.abort()
  await expect(waits).rejects.toThrow(Abandoned)
  await expect(shares.enter('a', left.signal)).rejects.toThrow(Abandoned)
  void come('a')
  ends[0]?.()
  await settled()
  expect(ran).toEqual(['a', 'a'])
})
