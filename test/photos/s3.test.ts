import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createS3Photos, type S3PhotosOptions } from '../../src/photos/s3.ts'
import { itemId, startApp } from '../http/support.ts'
import { type Storage, startStorage } from './storage.ts'

const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const region = 'eu-central-1'
const account = { ...credentials, region }
const bucket = 'inventory-photos'
const signedAt = Date.parse('2026-03-01T12:00:00.400Z')
let now = signedAt
let storage: Storage

beforeAll(async () => {
  storage = await startStorage(bucket, account, () => now)
})
afterAll(() => storage.close())
beforeEach(() => {
  now = signedAt
})

function photos(more: Partial<S3PhotosOptions> = {}) {
  const here = { bucket, region, credentials, endpoint: storage.endpoint, prefix: undefined }
  return createS3Photos({ ...here, now: () => now, ...more })
}

const keys = [
  ...['studio/1.png', 'with a space.png', 'plus+minus-.png', 'Gerät — Größe 音.png', "it's (new)*!.png"],
  ...['100% & more=less;yes.png', 'what?#fragment.png', 'a:b@c,d$e.png', 'already%20encoded.png'],
]

describe('an S3-compatible storage that checks signatures', () => {
  test.each(keys)('gives the object %j for its URL', async (key) => {
    await storage.put(key, `content of ${key}`)
    const url = await photos().sign(key)
    expect(await storage.get(url)).toEqual({ status: 200, type: 'image/png', body: `content of ${key}` })
    // A client that parses the URL and serialises it again must request the same.
    expect(new URL(url).href).toBe(url)
  })

  test('is reached below the host of the bucket when the host contains the bucket', async () => {
    await storage.put('studio/1.png', 'the picture')
    const url = await photos({ endpoint: undefined }).sign('studio/1.png')
    expect(url).toMatch(/^https:\/\/inventory-photos\.s3\.eu-central-1\.amazonaws\.com\/studio\/1\.png\?/)
    expect(await storage.get(url)).toMatchObject({ status: 200, body: 'the picture' })
  })

  test('is asked below the folder of the photos', async () => {
    await storage.put('a folder/photos/1.png', 'the picture')
    const url = await photos({ prefix: 'a folder/photos' }).sign('1.png')
    expect(await storage.get(url)).toMatchObject({ status: 200, body: 'the picture' })
  })

  test('believes temporary credentials with their session token', async () => {
    const sessionToken = 'FwoGZXIvYXdzE+/abc=='
    const other = await startStorage(bucket, { ...account, sessionToken }, () => now)
    await other.put('1.png', 'the picture')
    const url = await photos({ endpoint: other.endpoint, credentials: { ...credentials, sessionToken } }).sign('1.png')
    expect(await other.get(url)).toMatchObject({ status: 200, body: 'the picture' })
    expect((await storage.get(url)).body).toContain('InvalidToken')
    await other.close()
  })

  test('refuses a URL after exactly an hour', async () => {
    await storage.put('studio/1.png', 'the picture')
    const url = await photos().sign('studio/1.png')
    expect(new URL(url).searchParams.get('X-Amz-Date')).toBe('20260301T120000Z')
    expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('3600')
    now = Date.parse('2026-03-01T13:00:00Z')
    expect((await storage.get(url)).status).toBe(200)
    now = Date.parse('2026-03-01T13:00:00.001Z')
    expect(await storage.get(url)).toMatchObject({ status: 403, body: expect.stringContaining('expired') })
  })

  test('refuses a URL that was changed, other credentials, and no signature at all', async () => {
    await storage.put('studio/1.png', 'the picture')
    await storage.put('studio/2.png', 'another')
    const url = await photos().sign('studio/1.png')
    const changed = [
      url.replace('1.png', '2.png'),
      url.replace('Expires=3600', 'Expires=7200'),
      url.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      url.replace(storage.endpoint, 'http://127.0.0.1:1'),
      await photos({ credentials: { ...credentials, secretAccessKey: 'another' } }).sign('studio/1.png'),
      await photos({ region: 'us-east-1' }).sign('studio/1.png'),
      url.split('?')[0] ?? '',
    ]
    for (const other of changed) expect([other, (await storage.get(other)).status]).toEqual([other, 403])
    expect((await storage.get(url, 'HEAD')).status).toBe(403)
  })

  test('says 404 for an object that is not there: signing asks nothing of the storage', async () => {
    expect(await storage.get(await photos().sign('studio/none.png'))).toMatchObject({ status: 404 })
  })
})

describe('the address', () => {
  const cases: [Partial<S3PhotosOptions>, string][] = [
    [{ endpoint: undefined }, 'https://inventory-photos.s3.eu-central-1.amazonaws.com/1.png'],
    [
      { endpoint: undefined, bucket: 'photos.example.com' },
      'https://s3.eu-central-1.amazonaws.com/photos.example.com/1.png',
    ],
    [
      { endpoint: 'https://s3.dualstack.eu-central-1.amazonaws.com' },
      'https://inventory-photos.s3.dualstack.eu-central-1.amazonaws.com/1.png',
    ],
    [{ endpoint: 'https://minio.example.com:9000' }, 'https://minio.example.com:9000/inventory-photos/1.png'],
    [{ endpoint: 'http://[::1]:9000' }, 'http://[::1]:9000/inventory-photos/1.png'],
    [{ endpoint: 'https://example.com/storage/v1/s3' }, 'https://example.com/storage/v1/s3/inventory-photos/1.png'],
  ]
  test.each(cases)('with %o', async (more, expected) => {
    expect((await photos(more).sign('1.png')).split('?')[0]).toBe(expected)
  })
})

const refused = ['', 'studio/', '..', 'studio/../1.png', './1.png', 'a\ud800.png', 'x'.repeat(1025), 'ü'.repeat(513)]

test.each(refused.map((key) => ({ key, shown: key.slice(0, 16) })))('the key $shown is not signed', async ({ key }) => {
  await expect(photos().sign(key)).rejects.toThrow()
  await expect(photos({ prefix: 'photos' }).sign(key)).rejects.toThrow()
})

test('an item of which one photo cannot be signed has none, and is whole otherwise', async () => {
  const app = await startApp({ signer: photos() })
  const ask = async (photo_keys: string[]) => {
    app.answer(() => ({ status: 200, data: '{"id":"x","name":"U 87"}', photo_keys }))
    const { status, body } = await app.get(`/v1/items/${itemId}`)
    return [status, JSON.parse(body).data]
  }
  expect(await ask(['studio/1.png', '../1.png'])).toEqual([200, { id: 'x', name: 'U 87', photo_urls: [] }])
  const [status, item] = await ask(['studio/1.png', 'studio/2.png'])
  expect([status, item.photo_urls.map((url: string) => new URL(url).pathname)]).toEqual([
    200,
    ['/inventory-photos/studio/1.png', '/inventory-photos/studio/2.png'],
  ])
  expect(app.log()).not.toContain(account.secretAccessKey)
  expect(app.log()).not.toContain('X-Amz-Signature')
  await app.close()
})
