import { expect, test } from 'vitest'
import { makeLogger } from '../../src/log.ts'
import { photoUrls } from '../../src/photos/signer.ts'

const lines: string[] = []
const log = makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(line) } })
const hang = () => new Promise<string>(() => {})
const broken = () => {
  throw new Error('no key')
}

test('a signer that throws, rejects or hangs gives none, and the log says so', async () => {
  lines.length = 0
  expect(await photoUrls({ sign: broken }, ['a'], log)).toEqual([])
  expect(await photoUrls({ sign: () => Promise.reject(new Error('no key')) }, ['a'], log)).toEqual([])
  expect(
    await photoUrls({ sign: (key) => (key === 'b' ? hang() : Promise.resolve(key)) }, ['a', 'b'], log, 30),
  ).toEqual([])
  expect(lines).toHaveLength(3)
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({ level: 'warn', reason: 'no answer within 30 ms' })
})
