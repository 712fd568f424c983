import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withLock } from '../../../src/dev/embedded/lock.ts'
import { identify, isRunning } from '../../../src/process/identity.ts'

let folder: string
let path: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'))
  path = join(folder, 'x.lock')
})
afterAll(() => rm(folder, { recursive: true }))

it('lets one work at a time and leaves nothing behind', async () => {
  let inside = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++inside)
    await sleep(5)
    inside--
  }
  await Promise.all(Array.from({ length: 8 }, () => withLock(path, work)))
  expect(most).toBe(1)
  expect(await readdir(folder)).toEqual([])
})

it('is free again after work that threw', async () => {
  await expect(withLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await withLock(path, async () => 'yes')).toBe('yes')
})

it.each(['999999999@1', `${process.pid}@1`, '', 'rubbish'])('takes over from the dead holder %j', async (holder) => {
  await writeFile(path, holder)
  await writeFile(`${path}.999999999.ab`, '')
  expect(await withLock(path, async () => 'mine', 2000)).toBe('mine')
  expect(await readdir(folder)).toEqual([])
})

it('gives up on a holder that lives, naming it', async () => {
  const refused = withLock(path, () => withLock(path, async () => 'never', 120))
  await expect(refused).rejects.toThrow(`process ${process.pid} holds ${path}`)
})

it('tells a process from a later one of the same number', async () => {
  const name = (await identify(process.pid)) ?? ''
  expect(await isRunning(name)).toBe(true)
  expect(await isRunning(`${process.pid}@${Number(name.split('@')[1]) - 1}`)).toBe(process.platform !== 'linux')
  expect(await identify(999_999_999)).toBeUndefined()
})
