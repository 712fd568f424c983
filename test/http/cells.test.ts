import { expect, test, vi } from 'vitest'
import { createCache } from '../../src/api/cache.ts'
import type { ReadingCell } from '../../src/api/cell.ts'
import type { Answer } from '../../src/database/answer.ts'
import { newToken, startApp } from './support.ts'

const studioOf = { eu1: '3d7e2f5b-0c55-4a4e-8f0a-6e2a0c1c9d11', eu2: '3d7e2f5b-0c55-4a4e-8f0a-6e2a0c1c9d12' }

/** A cell that accepts tokens while `accepts` says so, and sheds load while `overloaded` says so. */
function cellOf(name: 'eu1' | 'eu2', state: { accepts: string; overloaded: string }): ReadingCell {
  const shed = () => state.overloaded === name
  const answered = {
    status: 200,
    token_id: studioOf[name],
    studio_id: studioOf[name],
    plan_tier: 'studio',
    total: '0',
    data: '',
  }
  const answer = async () =>
    ({ version: null, ...(state.accepts === name ? answered : { status: 401 }) }) as unknown as Answer
  return {
    name,
    read: answer,
    authenticate: answer,
    cache: createCache(1_000, '{}'),
    known: { has: async () => true },
    admission: {
      isOverloaded: shed,
      shed,
      admit: () => undefined,
      wait: () => undefined,
      stats: () => ({ waiting: 0, refused: 0 }),
    },
    record: vi.fn(),
  }
}

test('requests are shed for the cell that is overloaded, and for no other', async () => {
  const state = { accepts: 'eu1', overloaded: '' }
  const app = await startApp({ cells: [cellOf('eu1', state), cellOf('eu2', state)] })
  const [first, second, unknown] = [newToken(), newToken(), newToken()]
  expect((await app.get('/v1/items', { token: first })).status).toBe(200)
  state.accepts = 'eu2'
  expect((await app.get('/v1/items', { token: second })).status).toBe(200)

  state.overloaded = 'eu1'
  expect((await app.get('/v1/items', { token: first })).status).toBe(503)
  expect((await app.get('/v1/items', { token: second })).status).toBe(200)
  // Whose cell is not known has its turn.
  expect((await app.get('/v1/items', { token: unknown })).status).toBe(200)
  await app.close()
})
