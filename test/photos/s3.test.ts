import { beforeEach, describe, expect, test } from 'vitest'
import { createS3Photos, type S3PhotosOptions } from '../../src/photos/s3.ts'
import { itemId, startApp } from '../http/support.ts'
import { refusalOfUrl } from './sigv4.ts'

const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const region = 'eu-central-1'
const account = { ...credentials, region }
const bucket = 'inventory-photos'
const signedAt = Date.parse('2026-03-01T12:00:00.400Z')
let now = signedAt
beforeEach(() => {
  now = signedAt
})

function photos(more: Partial<S3PhotosOptions> = {}) {
  const here = { bucket, region, credentials, endpoint: 'https://minio.example.com:9000', prefix: undefined }
  return createS3Photos({ ...here, now: () => now, ...more })
}

const keys = [
  ...['studio/1.png', 'with a space.png', 'plus+minus-.png', 'Gerät — Größe 音.png', "it's (new)*!.png"],
  ...['100% & more=less;yes.png', 'what?#fragment.png', 'a:b@c,d$e.png', 'already%20encoded.png'],
]

const refusal = (url: string, method = 'GET') => refusalOfUrl(url, account, now, method)

describe('a storage that checks signatures', () => {
  test.each(keys)('believes the URL of %j', async (key) => {
    const url = await photos().sign(key)
    expect(refusal(url)).toBeNull()
    expect(decodeURIComponent(new URL(url).pathname)).toBe(`/${bucket}/${key}`)
    // A client that parses the URL and serialises it again must request the same.
    expect(new URL(url).href).toBe(url)
  })

  test('believes it below the host of the bucket, and below the folder of the photos', async () => {
    const ofAws = await photos({ endpoint: undefined }).sign('studio/1.png')
    expect(ofAws).toMatch(/^https:\/\/inventory-photos\.s3\.eu-central-1\.amazonaws\.com\/studio\/1\.png\?/)
    const inFolder = await photos({ prefix: 'a folder/photos' }).sign('1.png')
    expect(new URL(inFolder).pathname).toBe(`/${bucket}/a%20folder/photos/1.png`)
    for (const url of [ofAws, inFolder]) expect(refusal(url)).toBeNull()
  })

  test('believes temporary credentials with their session token', async () => {
    const sessionToken = 'FwoGZXIvYXdzE+/abc=='
    const url = await photos({ credentials: { ...credentials, sessionToken } }).sign('1.png')
    expect(refusalOfUrl(url, { ...account, sessionToken }, now)).toBeNull()
    expect(refusal(url)).toBe('InvalidToken')
  })

  test('refuses a URL after exactly an hour', async () => {
    const url = await photos().sign('studio/1.png')
    expect(new URL(url).searchParams.get('X-Amz-Date')).toBe('20260301T120000Z')
    expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('3600')
    now = Date.parse('2026-03-01T13:00:00Z')
    expect(refusal(url)).toBeNull()
    now = Date.parse('2026-03-01T13:00:00.001Z')
    expect(refusal(url)).toBe('Request has expired')
  })

  test('refuses a URL that was changed, other credentials, and no signature at all', async () => {
    const url = await photos().sign('studio/1.png')
    const changed = [
      url.replace('1.png', '2.png'),
      url.replace('Expires=3600', 'Expires=7200'),
      url.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      url.replace('minio.example.com', 'elsewhere.example.com'),
      await photos({ credentials: { ...credentials, secretAccessKey: 'another' } }).sign('studio/1.png'),
      await photos({ region: 'us-east-1' }).sign('studio/1.png'),
      url.split('?')[0] ?? '',
    ]
    for (const other of changed) expect([other, refusal(other)]).toEqual([other, expect.any(String)])
    expect(refusal(url, 'HEAD')).toBe('SignatureDoesNotMatch')
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
