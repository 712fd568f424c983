import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createCursors } from '../../src/api/cursors.ts'
import { createSeal } from '../../src/console/cookies.ts'
import { createCsrfTokens } from '../../src/console/forms.ts'
import type { SecretKeys } from '../../src/domain/keys.ts'
import { createAnalystTokens, signAnalystToken } from '../../src/graphql/analyst-token.ts'
import { createLocalPhotos } from '../../src/photos/local.ts'

const [oldKey, newKey] = ['o'.repeat(32), 'n'.repeat(32)]
const studioId = crypto.randomUUID()
const here = { publicUrl: 'http://localhost', photosDir: join(import.meta.dirname, '../../src/demo/photos') }
const sealOf = (keys: SecretKeys) => createSeal(keys, 'test', z.object({ page: z.string() }))

/** Each makes something with the old key, and says whether other keys open it. */
const kinds = {
  async 'a cursor'() {
    const cursor = createCursors(oldKey).write({ page: 2, at: '2026-01-01', id: studioId }, '/v1/items', studioId)
    return (keys: SecretKeys) => {
      const cursors = createCursors(keys)
      const read = cursors.read(cursor, '/v1/items')
      return read !== undefined && cursors.isOf(read, studioId) && !cursors.isOf(read, crypto.randomUUID())
    }
  },
  async 'a sealed cookie'() {
    const sealed = await sealOf(oldKey).seal({ page: '/' }, 'me', 60)
    return async (keys: SecretKeys) => (await sealOf(keys).open(sealed, 'me')) !== null
  },
  async 'a form'() {
    const token = createCsrfTokens(oldKey).tokenFor('cookie')
    return (keys: SecretKeys) => createCsrfTokens(keys).verify('cookie', token)
  },
  async "an analyst's token"() {
    const token = await signAnalystToken(oldKey, { studioId, userId: studioId })
    return async (keys: SecretKeys) => (await createAnalystTokens(keys).verify(token)) !== null
  },
  async 'the URL of a photo'() {
    const url = await createLocalPhotos({ secretKeys: oldKey, ...here }).sign('back.png')
    return async (keys: SecretKeys) => {
      const photo = await createLocalPhotos({ secretKeys: keys, ...here }).open?.(url.split('/').at(-1) ?? '')
      photo?.content.destroy()
      return photo?.contentType === 'image/png'
    }
  },
}

test.each(Object.entries(kinds))(
  '%s of the old key is taken beside the new one, and not without it',
  async (_, make) => {
    const opens = await make()
    expect(await opens([newKey, oldKey])).toBe(true)
    expect(await opens([oldKey, newKey])).toBe(true)
    expect(await opens(newKey)).toBe(false)
  },
)
