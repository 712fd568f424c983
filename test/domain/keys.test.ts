import { expect, test } from 'vitest'
import { z } from 'zod'
import { createCursors } from '../../src/api/cursors.ts'
import { createSeal } from '../../src/console/cookies.ts'
import { createCsrfTokens } from '../../src/console/forms.ts'
import type { SecretKeys } from '../../src/domain/keys.ts'
import { createAnalystTokens, signAnalystToken } from '../../src/graphql/analyst-token.ts'

test('what one key signed is taken with it and another key in any order, and not without it', async () => {
  const [oldKey, newKey, id] = ['o'.repeat(32), 'n'.repeat(32), crypto.randomUUID()]
  const all = (secretKeys: SecretKeys) => ({
    cursors: createCursors(secretKeys),
    seal: createSeal(secretKeys, 'test', z.object({ page: z.string() })),
    forms: createCsrfTokens(secretKeys),
    tokens: createAnalystTokens(secretKeys),
  })
  const by = all(oldKey)
  const cursor = by.cursors.write({ page: 2, at: '2026-01-01', id }, '/v1/items', id)
  const sealed = await by.seal.seal({ page: '/' }, 'me', 60)
  const identity = await signAnalystToken(oldKey, { studioId: id, userId: id })

  const opens = async (keys: SecretKeys) => {
    const { cursors, seal, forms, tokens } = all(keys)
    const read = cursors.read(cursor, '/v1/items')
    const form = forms.verify('cookie', by.forms.tokenFor('cookie'))
    return [read && cursors.isOf(read, id), await seal.open(sealed, 'me'), form, await tokens.verify(identity)].map(
      Boolean,
    )
  }
  for (const keys of [[newKey, oldKey] as const, [oldKey, newKey] as const])
    expect(await opens(keys)).toEqual([true, true, true, true])
  expect(await opens(newKey)).toEqual([false, false, false, false])
})
