import { beforeEach, describe, expect, test } from 'vitest'
import { createS3Photos, type S3PhotosOptions } from '../../src/photos/s3.ts'
import { photoUrls } from '../../src/photos/signer.ts'
import { itemId, startApp } from '../http/support.ts'
import { keepLog } from '../support/log.ts'
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
  test.each([
    [undefined, 'inventory-photos', 'https://inventory-photos.s3.eu-central-1.amazonaws.com/'],
    [undefined, 'photos.example.com', 'https://s3.eu-central-1.amazonaws.com/photos.example.com/'],
    ['https://s3.dualstack.eu-central-1.amazonaws.com', 'a', 'https://a.s3.dualstack.eu-central-1.amazonaws.com/'],
    ['https://minio.example.com:9000', 'a', 'https://minio.example.com:9000/a/'],
    ['http://[::1]:9000', 'a', 'http://[::1]:9000/a/'],
    ['https://example.com/storage/v1/s3', 'a', 'https://example.com/storage/v1/s3/a/'],
  ])('at %s of the bucket %s is below %s', async (endpoint, bucket, address) => {
    expect((await photos({ endpoint, bucket }).sign('1.png')).split('?')[0]).toBe(`${address}1.png`)
  })
})

/** The example of "Authenticating Requests (AWS Signature Version 4)" in Amazon's S3 reference. */
test('the signer makes the published URL to the character, and the check of these tests believes it for its day', async () => {
  const midnight = Date.parse('2013-05-24T00:00:00Z')
  const published =
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
    '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
    '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
    '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404'
  const there = { bucket: 'examplebucket', region: 'us-east-1', endpoint: 'https://s3.amazonaws.com' }
  const signer = photos({ ...there, now: () => midnight, lifeSeconds: 86_400 })
  expect(await signer.sign('test.txt')).toBe(published)
  const refusals = [0, 86_400_000, 86_400_001].map((after) =>
    refusalOfUrl(published, { ...account, region: 'us-east-1' }, midnight + after),
  )
  expect(refusals).toEqual([null, null, 'Request has expired'])
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

test('a signer that throws, rejects or hangs gives none, and the log says so', async () => {
  const { log, lines } = keepLog()
  const signers = [
    () => {
      throw new Error('no key')
    },
    () => Promise.reject(new Error('no key')),
    (key: string) => (key === 'b' ? new Promise<string>(() => {}) : Promise.resolve(key)),
  ]
  for (const sign of signers) expect(await photoUrls({ sign }, ['a', 'b'], log, 30)).toEqual([])
  expect(lines).toHaveLength(3)
  expect(lines[2]).toMatchObject({ level: 'warn', reason: 'no answer within 30 ms' })
})
