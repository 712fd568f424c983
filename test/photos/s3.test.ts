import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openPhotos } from '../../src/photos/open-photos.ts'
import { createS3Photos, type S3PhotosOptions } from '../../src/photos/s3.ts'
import { photoUrls } from '../../src/photos/signer.ts'
import { itemId, startApp } from '../http/support.ts'
import { keepLog } from '../support/log.ts'

const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const region = 'eu-central-1'
const bucket = 'inventory-photos'
const signedAt = Date.parse('2026-03-01T12:00:00.400Z')

function photos(more: Partial<S3PhotosOptions> = {}) {
  const here = { bucket, region, credentials, endpoint: 'https://minio.example.com:9000', prefix: undefined }
  return createS3Photos({ ...here, now: () => signedAt, ...more })
}

const keys = [
  ...['studio/1.png', 'with a space.png', 'plus+minus-.png', 'Gerät — Größe 音.png', "it's (new)*!.png"],
  ...['100% & more=less;yes.png', 'what?#fragment.png', 'a:b@c,d$e.png', 'already%20encoded.png'],
]

test.each(keys)('the URL of %j names this key, however a client parses it', async (key) => {
  const url = await photos().sign(key)
  expect(decodeURIComponent(new URL(url).pathname)).toBe(`/${bucket}/${key}`)
  // A client that parses the URL and serialises it again must request the same.
  expect(new URL(url).href).toBe(url)
})

test('a URL is valid for an hour, and has the session token of temporary credentials', async () => {
  const sessionToken = 'FwoGZXIvYXdzE+/abc=='
  const { searchParams } = new URL(await photos({ credentials: { ...credentials, sessionToken } }).sign('1.png'))
  expect(searchParams.get('X-Amz-Date')).toBe('20260301T120000Z')
  expect(searchParams.get('X-Amz-Expires')).toBe('3600')
  expect(searchParams.get('X-Amz-Security-Token')).toBe(sessionToken)
})

test('below the folder of the photos a URL names the folder', async () => {
  const inFolder = await photos({ prefix: 'a folder/photos' }).sign('1.png')
  expect(new URL(inFolder).pathname).toBe(`/${bucket}/a%20folder/photos/1.png`)
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
test('the signer makes the published URL to the character', async () => {
  const midnight = Date.parse('2013-05-24T00:00:00Z')
  const published =
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
    '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
    '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
    '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404'
  const there = { bucket: 'examplebucket', region: 'us-east-1', endpoint: 'https://s3.amazonaws.com' }
  const signer = photos({ ...there, now: () => midnight, lifeSeconds: 86_400 })
  expect(await signer.sign('test.txt')).toBe(published)
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
  expect(app.log()).not.toContain(credentials.secretAccessKey)
  expect(app.log()).not.toContain('X-Amz-Signature')
  await app.close()
})

test('a signer that throws, rejects or hangs gives none, and it hears why', async () => {
  const reasons: string[] = []
  const failed = (reason: string) => void reasons.push(reason)
  const signers = [
    () => {
      throw new Error('no key')
    },
    () => Promise.reject(new Error('no key')),
    (key: string) => (key === 'b' ? new Promise<string>(() => {}) : Promise.resolve(key)),
  ]
  for (const sign of signers) expect(await photoUrls({ sign, failed }, ['a', 'b'], 30)).toEqual([])
  expect(reasons).toEqual(['no key', 'no key', 'no answer within 30 ms'])
})

test('a bucket without credentials counts each answer without photos, and the log says why once', async () => {
  const { log, lines } = keepLog()
  const photosS3 = { bucket: 'photos', region: 'eu-central-1', endpoint: undefined, prefix: undefined }
  const none = {
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/nowhere',
    AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
  }
  for (const [name, value] of Object.entries(none)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const signer = await openPhotos(
    { photosS3, publicUrl: 'http://localhost', photosDir: '/nowhere' },
    'x'.repeat(32),
    log,
  )
  for (let answer = 0; answer < 3; answer += 1) expect(await photoUrls(signer, ['a'])).toEqual([])
  expect(signer.failures()).toBe(3)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({ level: 'warn', msg: 'photos could not be signed: answers have no photo_urls' })
})
