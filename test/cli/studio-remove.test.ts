import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useCli } from './here.ts'

const cli = useCli()
let [name, studio]: string[] = []
let count = 0
beforeEach(async () => {
  count += 1
  name = `Remove Works ${count}`
  studio = (await run('studio', 'create', name, '--owner-email', `ona${count}@works.example`)).stdout.trim()
})

const run = (...args: string[]) => cli.run(...args)
const remove = (...args: string[]) => run('studio', 'remove', studio ?? '', ...args)
const names = async () =>
  JSON.parse((await run('studio', 'list', '--json')).stdout).map((each: { name: string }) => each.name)

const before = { stdin: process.stdin, isTTY: process.stderr.isTTY }
afterEach(() => {
  Object.defineProperty(process, 'stdin', { value: before.stdin, configurable: true })
  process.stderr.isTTY = before.isTTY
})

/** Somebody is at the terminal, and types this. */
function typing(text: string, ended = false): void {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  input.write(text)
  if (ended) input.end()
  Object.defineProperty(process, 'stdin', { value: input, configurable: true })
  process.stderr.isTTY = true
}

describe('a removal', () => {
  test('happens when the name of the studio is typed, which is asked for after what will be gone', async () => {
    typing(`${name}\n`)
    const { status, stdout, stderr } = await remove()
    expect({ status, stdout }).toEqual({ status: 0, stdout: `Removed: ${name}\n` })
    expect(stderr).toContain(`${name} will be removed permanently: 0 items, 1 member, 0 tokens and all its other data.`)
    expect(stderr).toContain(`Type ${name} to confirm: `)
    expect(await names()).not.toContain(name)
  })

  test.each([
    ['another name', 'Northlight\n', 'Northlight is not Remove Works'],
    ['nothing', '\n', 'Nothing was changed.'],
  ])('does not for %s', async (_what, text, why) => {
    typing(text)
    const { status, stdout, stderr } = await remove()
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain(why)
    expect(stderr).toContain('Nothing was changed.')
    expect(await names()).toContain(name)
  })

  test('does not when the input ends, nor on Ctrl-C', async () => {
    typing('', true)
    expect((await remove()).stderr).toContain('Nothing was changed.')
    typing('\u0003')
    const { status, stderr } = await remove()
    expect(status).toBe(130)
    expect(stderr).toContain('Nothing was changed.')
    expect(await names()).toContain(name)
  })

  test('without a terminal needs --yes, which still says what will be gone', async () => {
    const asked = await remove('--json')
    expect(asked).toMatchObject({ status: 1, stdout: '' })
    expect(asked.stderr).toContain('Without a terminal, confirm it with --yes.')
    expect(await names()).toContain(name)
    const done = await remove('--json', '--yes')
    expect(done.stderr).toContain('will be removed permanently: 0 items')
    expect(JSON.parse(done.stdout)).toEqual({
      studio_id: studio,
      name,
      removed_rows: expect.any(Number),
      photos: 0,
      kept_logins: [],
    })
  })
})

describe('the file of photo keys', () => {
  test('that cannot be written removes nothing', async () => {
    const { status, stderr } = await remove('--yes', '--photo-keys', join(cli.folder, 'none', 'keys.txt'))
    expect(status).toBe(1)
    expect(stderr).toContain('cannot write ')
    expect(await names()).toContain(name)
  })
})
