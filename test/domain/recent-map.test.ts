import { expect, test } from 'vitest'
import { RecentMap } from '../../src/domain/recent-map.ts'

function make(most = 3) {
  const clock = { ms: 0 }
  return { clock, map: new RecentMap<string, number>(1_000, most, () => clock.ms) }
}

test('has what was set in this period and in the one before', () => {
  const { clock, map } = make()
  map.set('a', 1)
  expect(map.get('a')).toBe(1)
  clock.ms = 1_500
  expect(map.get('a')).toBe(1)
  expect(map.get('b')).toBeUndefined()
})

test('forgets what was not looked up for two periods', () => {
  const { clock, map } = make()
  map.set('kept', 1)
  map.set('forgotten', 2)
  for (const ms of [900, 1_800, 2_700, 3_600]) {
    clock.ms = ms
    expect(map.get('kept')).toBe(1)
  }
  expect(map.get('forgotten')).toBeUndefined()
})

test('forgets everything after a long time without a look-up, and when the clock is set back', () => {
  const { clock, map } = make()
  map.set('a', 1)
  clock.ms = 10_000
  expect(map.get('a')).toBeUndefined()
  map.set('b', 2)
  clock.ms = 0
  map.get('b')
  clock.ms = 1_500
  map.get('x')
  clock.ms = 3_000
  expect(map.get('b')).toBeUndefined()
})

test('never has more than twice as many as it may', () => {
  const { map } = make(3)
  for (let n = 0; n < 100; n += 1) map.set(`${n}`, n)
  const found = Array.from({ length: 100 }, (_, n) => n).filter((n) => map.get(`${n}`) !== undefined)
  expect(found.length).toBeLessThanOrEqual(6)
  expect(found).toContain(99)
})
