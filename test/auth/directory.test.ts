import { describe, expect, test, vi } from 'vitest'
import { createDirectory, PartlyRefused } from '../../src/auth/directory.ts'
import { DatabaseUnavailable, Overloaded, StatementFailed } from '../../src/database/errors.ts'
import { makeLogger } from '../../src/observability/log.ts'

const log = makeLogger({ level: 'silent' })
const away = new DatabaseUnavailable('connection refused')

type Says = 200 | 401 | Error | Promise<200 | 401>

/** Two cells that answer as `says` has it, and who was asked. */
function directoryOf(says: Record<'eu1' | 'eu2', Says>) {
  const asked: string[] = []
  type Named = { name: 'eu1' | 'eu2' }
  const directory = createDirectory<Named>([{ name: 'eu1' }, { name: 'eu2' }], { log })
  const ask = async ({ name }: Named) => {
    asked.push(name)
    const answer = await says[name]
    if (answer instanceof Error) throw answer
    return { name, status: answer }
  }
  return {
    says,
    directory,
    async ask(key = 'token') {
      asked.length = 0
      const different = { of: () => null, in: async ({ name }: Named) => name }
      const answer = await directory.ask(key, ask, ({ status }) => status === 200, different)
      return { ...answer, asked: [...asked] }
    },
    asked: () => [...asked],
  }
}

test('whoever is not known is asked of all cells, and then of the one that accepted alone', async () => {
  const { ask, directory } = directoryOf({ eu1: 401, eu2: 200 })
  expect(await ask()).toEqual({ name: 'eu2', status: 200, asked: ['eu1', 'eu2'] })
  expect(directory.hint('token')).toEqual({ name: 'eu2' })
  expect(await ask()).toEqual({ name: 'eu2', status: 200, asked: ['eu2'] })
})

test('a cell that refuses what it accepted before is a reason to ask the others: the studio may have moved', async () => {
  const { ask, says } = directoryOf({ eu1: 200, eu2: 401 })
  await ask()
  Object.assign(says, { eu1: 401, eu2: 200 })
  expect(await ask()).toEqual({ name: 'eu2', status: 200, asked: ['eu1', 'eu2'] })
  expect(await ask()).toMatchObject({ asked: ['eu2'] })
})

test('what every cell refuses is refused, and forgotten', async () => {
  const { ask, says, directory } = directoryOf({ eu1: 200, eu2: 401 })
  await ask()
  says.eu1 = 401
  expect(await ask()).toMatchObject({ status: 401, asked: ['eu1', 'eu2'] })
  expect(directory.hint('token')).toBeUndefined()
})

test('nobody is refused while a cell cannot be asked', async () => {
  const { ask, says } = directoryOf({ eu1: 401, eu2: away })
  const refusal = { name: 'PartlyRefused', message: 'cell eu2 could not be asked: connection refused', cause: away }
  await expect(ask()).rejects.toMatchObject(refusal)
  says.eu2 = 200
  expect(await ask()).toMatchObject({ name: 'eu2' })
  says.eu2 = away
  await expect(ask()).rejects.toMatchObject(refusal)
  says.eu2 = 401
  expect(await ask()).toMatchObject({ status: 401 })
})

test('what a cell that is down cannot serve does not become load on the others', async () => {
  const { ask, says, asked } = directoryOf({ eu1: 200, eu2: 401 })
  await ask()
  says.eu1 = away
  await expect(ask()).rejects.toThrow(PartlyRefused)
  expect(asked()).toEqual(['eu1', 'eu2'])
  await expect(ask()).rejects.toThrow(PartlyRefused)
  expect(asked()).toEqual(['eu1'])
  says.eu1 = 200
  expect(await ask()).toMatchObject({ name: 'eu1' })
})

test('while no cell can be asked nothing is a refusal', async () => {
  await expect(directoryOf({ eu1: away, eu2: away }).ask()).rejects.toBe(away)
})

test('a cell that cannot be used does not hide that its studio has moved to another', async () => {
  const { ask, says } = directoryOf({ eu1: 200, eu2: 401 })
  await ask()
  Object.assign(says, { eu1: away, eu2: 200 })
  expect(await ask()).toMatchObject({ name: 'eu2' })
})

test.each([
  ['an overloaded cell', new Overloaded()],
  ['a statement that failed', new StatementFailed('api_v1.list_items', 'XX000', 'broken')],
])('%s is its own affair: the others are not asked instead', async (_, error) => {
  const { ask, says, asked } = directoryOf({ eu1: 200, eu2: 200 })
  says.eu2 = 401
  await ask()
  says.eu1 = error
  await expect(ask()).rejects.toBe(error)
  expect(asked()).toEqual(['eu1'])
})

test('two cells that accept the same token are an error, and neither answers', async () => {
  const { ask } = directoryOf({ eu1: 200, eu2: 200 })
  await expect(ask()).rejects.toThrow('several cells accept the same token: eu1, eu2')
})

describe('of two cells that accept the same token', () => {
  /** The version that each answers with, and the one that it has a moment later. */
  type Versions = { said: string | null; now: string | null }
  async function answeredBy(eu1: Versions, eu2: Versions) {
    type Named = Versions & { name: string }
    const asked = vi.fn(async ({ now }: Named) => now)
    const cells: [Named, Named] = [
      { name: 'eu1', ...eu1 },
      { name: 'eu2', ...eu2 },
    ]
    const directory = createDirectory<Named>(cells, { log })
    const ask = async (cell: Named) => cell
    const { name } = await directory.ask('token', ask, () => true, { of: ({ said }) => said, in: asked })
    return { name, remembered: directory.hint('token')?.name, asked: asked.mock.calls.length }
  }
  const seven = { said: 's/7', now: 's/7' }
  const silent = { said: null, now: 's/7' }
  const gone = { said: 's/7', now: null }

  test('either is right when both have the same data, as while a studio moves', async () => {
    expect(await answeredBy(seven, seven)).toEqual({ name: 'eu1', remembered: 'eu1', asked: 0 })
  })

  test.each([
    [silent, silent],
    [seven, silent],
    [silent, seven],
  ])('a cell is asked for its version when its answer has none', async (eu1, eu2) => {
    expect(await answeredBy(eu1, eu2)).toEqual({ name: 'eu1', remembered: 'eu1', asked: 2 })
  })

  test.each([
    [seven, { said: 's/8', now: 's/8' }],
    [silent, { said: null, now: 's/8' }],
    [seven, { said: 's/8', now: 's/7' }],
    [seven, { said: null, now: 's/8' }],
  ])('neither answers when they have different data', async (eu1, eu2) => {
    await expect(answeredBy(eu1, eu2)).rejects.toThrow('several cells accept the same token: eu1, eu2')
  })

  test('the one answers that the studio has not left since', async () => {
    const written = { said: 's/8', now: 's/9' }
    expect(await answeredBy(gone, written)).toMatchObject({ name: 'eu2', remembered: 'eu2' })
    expect(await answeredBy(silent, { said: null, now: null })).toMatchObject({ name: 'eu1', remembered: 'eu1' })
  })
})

test('a cell that could not be used lately is not waited for when another accepts', async () => {
  const { ask, says } = directoryOf({ eu1: away, eu2: 200 })
  expect(await ask('first')).toMatchObject({ name: 'eu2' })
  const silence = Promise.withResolvers<200 | 401>()
  says.eu1 = silence.promise
  expect(await ask('second')).toMatchObject({ name: 'eu2', asked: ['eu1', 'eu2'] })
  silence.resolve(401)
})

test('of one cell nothing is remembered: it is asked as it is', async () => {
  const ask = vi.fn(async () => 401)
  const only = { name: undefined }
  const directory = createDirectory([only], { log })
  expect(await directory.ask('token', ask, () => false, { of: () => null, in: async () => null })).toBe(401)
  expect(ask).toHaveBeenCalledExactlyOnceWith(only)
  expect(directory.hint('another')).toBe(only)
})
