import { expect, it } from 'vitest'
import { createPhotoLine } from '../../src/console/studio/photo-line.ts'

it('one photo is made at a time, and a studio waits for one photo of another, not for all of them', async () => {
  const line = createPhotoLine()
  const order: string[] = []
  let running = 0
  const photo = (name: string) => async () => {
    running += 1
    expect(running).toBe(1)
    await new Promise(setImmediate)
    order.push(name)
    running -= 1
  }
  const made = ['a1', 'a2', 'a3', 'a4'].map((name) => line.wait('a', photo(name)))
  made.push(line.wait('b', photo('b1')), line.wait('b', photo('b2')))
  await Promise.all(made)
  expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4'])
})

it('a photo that cannot be made ends neither the line nor its limit', async () => {
  const line = createPhotoLine(1)
  const broken = () => Promise.reject(new Error('broken'))
  await expect(line.wait('a', broken)).rejects.toThrow('broken')
  expect(await line.wait('a', async () => 'made')).toBe('made')
})

it('a studio whose line is full is told to come back, and another studio is not', async () => {
  const line = createPhotoLine(2)
  const { promise, resolve } = Promise.withResolvers<string>()
  const make = () => promise
  const waiting = ['a', 'a', 'a'].map((studio) => line.wait(studio, make))
  await expect(line.wait('a', make)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 5 })
  waiting.push(line.wait('b', make))
  resolve('made')
  expect(await Promise.all(waiting)).toEqual(['made', 'made', 'made', 'made'])
})
