import { beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import type { itemDetail } from '../../src/api/items.ts'
import { createLocalPhotos } from '../../src/photos/local.ts'
import type { PhotoSigner } from '../../src/photos/signer.ts'
import { testSecretKey } from '../support/server.ts'
import type { TestService } from '../support/service.ts'
import { putPhoto, type Single, useWorld } from '../support/world.ts'

type Item = z.infer<typeof itemDetail>

const world = useWorld()
const front = Buffer.from('the front, as a picture \u0000\u00ff', 'latin1')
const back = Buffer.from('the back, as a picture')

async function itemOf(service: TestService, id = world.cast.a.items.microphone): Promise<Item> {
  const reply = await service.get<Single<Item>>(`/v1/items/${id}`, { token: world.cast.a.token.token })
  expect(reply.status).toBe(200)
  return reply.json.data
}
const pathOf = (url = '') => new URL(url).pathname
const unvalued = { current_estimated_value: null, value_source: null, coverage_state: null, gap_amount: null }
const claims = (url = '') => JSON.parse(Buffer.from(url.split('.').at(-2) ?? '', 'base64url').toString())

beforeAll(async () => {
  const [first = '', second = ''] = world.cast.a.photoKeys
  await putPhoto(world.photosDir, first, front)
  await putPhoto(world.photosDir, second, back)
})

test('the photo URLs, in the order of the photos, serve the files to whoever has them', async () => {
  const { photo_urls } = await itemOf(world.service)
  expect(photo_urls).toHaveLength(2)
  for (const [index, bytes] of [front, back].entries()) {
    expect(photo_urls[index]).toMatch(new RegExp(`^${world.service.url}/photos/`))
    const reply = await world.service.get(pathOf(photo_urls[index]))
    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toBe('image/png')
    expect(reply.bytes.equals(bytes)).toBe(true)
  }
})

test('a photo URL is valid for one hour', async () => {
  const before = Math.floor(Date.now() / 1000)
  const { photo_urls } = await itemOf(world.service)
  for (const url of photo_urls) {
    expect(claims(url).exp).toBeGreaterThanOrEqual(before + 3600)
    expect(claims(url).exp).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 3600)
  }
})

test('after its hour a photo URL is not found', async () => {
  const sign = (age: number) =>
    createLocalPhotos({
      secretKey: testSecretKey,
      publicUrl: world.service.url,
      photosDir: world.photosDir,
      now: () => Date.now() - age * 1000,
    }).sign(world.cast.a.photoKeys[0] ?? '')
  expect((await world.service.get(pathOf(await sign(3600 - 10)))).status).toBe(200)
  expect((await world.service.get(pathOf(await sign(3600 + 2)))).status).toBe(404)
})

test('a photo URL that was changed or made by somebody else is not found', async () => {
  const { photo_urls } = await itemOf(world.service)
  const path = pathOf(photo_urls[0])
  const [header = '', payload = '', signature = ''] = path.slice('/photos/'.length).split('.')
  const longer = Buffer.from(JSON.stringify({ ...claims(path), exp: claims(path).exp + 3600 })).toString('base64url')
  const other = Buffer.from(JSON.stringify({ ...claims(path), sub: world.cast.b.photoKeys[0] })).toString('base64url')
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')
  const forged = createLocalPhotos({
    secretKey: 'another secret key that nobody should believe',
    publicUrl: world.service.url,
    photosDir: world.photosDir,
  })
  const attempts = [
    `/photos/${header}.${longer}.${signature}`,
    `/photos/${header}.${other}.${signature}`,
    `/photos/${none}.${payload}.`,
    `/photos/${none}.${payload}.${signature}`,
    `/photos/${header}.${payload}`,
    `/photos/${header}.${payload}.${signature.slice(0, -2)}`,
    `/photos/${world.cast.a.photoKeys[0]}`,
    '/photos/x',
    pathOf(await forged.sign(world.cast.a.photoKeys[0] ?? '')),
  ]
  for (const attempt of attempts) expect((await world.service.get(attempt)).status, attempt).toBe(404)
  expect((await world.service.get(path)).status).toBe(200)
})

test('a photo whose file is missing is not found', async () => {
  const id = await world.add('items', { name: 'No file' })
  await world.add('item_photos', { item_id: id, storage_key: 'missing.png' })
  const { photo_urls } = await itemOf(world.service, id)
  expect((await world.service.get(pathOf(photo_urls[0]))).status).toBe(404)
})

test.each<[how: string, sign: PhotoSigner['sign']]>([
  [
    'throws',
    () => {
      throw new Error('no key')
    },
  ],
  ['rejects', async () => Promise.reject(new Error('no key'))],
  ['rejects with something that is no error', async () => Promise.reject(undefined)],
  ['hangs', () => new Promise(() => undefined)],
])('when the signer %s, photo_urls is empty and everything else is intact', async (_, sign) => {
  const whole = await itemOf(world.service)
  const service = await world.start({ signer: (real) => ({ ...real, sign }) })
  expect(await itemOf(service)).toEqual({ ...whole, photo_urls: [] })
})

test('when one photo cannot be signed, none is shown', async () => {
  let count = 0
  const service = await world.start({
    signer: (real) => ({
      ...real,
      async sign(key) {
        count += 1
        if (count === 2) throw new Error('no key')
        return real.sign(key)
      },
    }),
  })
  expect((await itemOf(service)).photo_urls).toEqual([])
  expect((await itemOf(service)).photo_urls).toHaveLength(2)
})

test('what an item last had is shown while its projection cannot be read, as long as nothing changed', async () => {
  const { photo_urls, ...whole } = await itemOf(world.service)
  await world.owner('alter view service.item_valuations rename to valuations_away')
  try {
    expect(await itemOf(world.service)).toMatchObject(whole)
    await world.add('locations', { name: 'A change' })
    expect(await itemOf(world.service)).toMatchObject({ ...whole, ...unvalued })
  } finally {
    await world.owner('alter view service.valuations_away rename to item_valuations')
  }
  expect(await itemOf(world.service)).toMatchObject(whole)
  expect(photo_urls).toHaveLength(2)
})
