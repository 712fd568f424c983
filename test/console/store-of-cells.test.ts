import { expect, test, vi } from 'vitest'
import type { Person, SignIn, Store } from '../../src/apps/console/store.ts'
import { createStoreOfCells } from '../../src/apps/console/store-of-cells.ts'
import { DatabaseUnavailable, StatementFailed } from '../../src/database/errors.ts'
import { makeLogger } from '../../src/observability/log.ts'

const log = makeLogger({ level: 'silent' })
const session = Buffer.from('session')
const given = { session } as SignIn
const raised = (state: string) => new StatementFailed('console_sign_in', state, state)
const away = new DatabaseUnavailable('connection refused')

function storesOf(eu1: Partial<Store>, eu2: Partial<Store>) {
  const ended = vi.fn(async () => undefined)
  const cell = (name: string, store: Partial<Store>) => ({
    name,
    store: { signOut: ended, signIn: async () => undefined, ...store } as Store,
  })
  return { store: createStoreOfCells([cell('eu1', eu1), cell('eu2', eu2)], log), ended }
}
const refusing = (error: Error) => async () => Promise.reject(error)

test('a sign-in that was used before is refused, also where a cell had not seen it', async () => {
  const { store, ended } = storesOf({ signIn: refusing(raised('SI409')) }, {})
  await expect(store.signIn(given)).rejects.toMatchObject({ sqlState: 'SI409' })
  // The session that the other cell has opened is of no use.
  expect(ended).toHaveBeenCalledTimes(2)
})

test('somebody is signed in where one cell knows them, and refused where all say that they do not', async () => {
  const nobody = { signIn: refusing(raised('SI404')) }
  await storesOf(nobody, {}).store.signIn(given)
  await expect(storesOf(nobody, nobody).store.signIn(given)).rejects.toMatchObject({ sqlState: 'SI404' })
  const unknown = storesOf(nobody, { signIn: refusing(away) })
  await expect(unknown.store.signIn(given)).rejects.toBe(away)
})

test('what is sealed is used once, when one of the cells has seen it', async () => {
  const once = { useOnce: async () => true }
  const again = { useOnce: async () => false }
  const uses = (...stores: Parameters<typeof storesOf>) => storesOf(...stores).store.useOnce(session, new Date())
  expect(await uses(once, once)).toBe(true)
  expect(await uses(once, again)).toBe(false)
  expect(await uses(once, { useOnce: refusing(away) })).toBe(true)
})

test('a sign-out that did not reach every cell says so', async () => {
  const { store } = storesOf({}, { signOut: refusing(away) })
  await expect(store.signOut(session)).rejects.toThrow('the session could not be ended in cell eu2')
})

test('what is about a studio is asked of its cell alone, and of none for a studio that is not theirs', async () => {
  const studio = (id: string) => ({
    id,
    name: id,
    role: 'owner',
    publicApi: true,
    mayManage: true,
    plan: null,
    you: 'P',
    yourId: 'p',
  })
  const person = (id: string): Person => ({ id: 'p', email: 'p@x.example', studios: [studio(id)] })
  const tokens = vi.fn(async () => [])
  const others = vi.fn(async () => [])
  const { store } = storesOf(
    { person: async () => person('first'), tokens: others },
    { person: async () => person('second'), tokens },
  )
  await store.tokens(session, 'second')
  expect([tokens.mock.calls.length, others.mock.calls.length]).toEqual([1, 0])
  await expect(store.tokens(session, 'third')).rejects.toMatchObject({ sqlState: 'SI404' })
})
