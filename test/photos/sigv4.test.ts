import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createS3Photos } from '../../src/api/photos/s3.ts'
import { refusalOf, signatureOf } from './sigv4.ts'

/** The examples of "Authenticating Requests (AWS Signature Version 4)" in the Amazon S3 API Reference. */
const accessKeyId = 'AKIAIOSFODNN7EXAMPLE'
const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const at = '20130524T000000Z'
const host = 'examplebucket.s3.amazonaws.com'
const scope = { at, region: 'us-east-1', service: 's3' }
const presigned =
  'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
  '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
  '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
  '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('the signer makes the published presigned URL, to the character', async () => {
  const photos = createS3Photos({
    bucket: 'examplebucket',
    region: 'us-east-1',
    endpoint: 'https://s3.amazonaws.com',
    credentials: { accessKeyId, secretAccessKey },
    prefix: undefined,
    now: () => Date.parse('2013-05-24T00:00:00Z'),
    lifeSeconds: 86_400,
  })
  expect(await photos.sign('test.txt')).toBe(presigned)
})

test('the check of the tests believes the published presigned URL, for its day', () => {
  const request = { method: 'GET', target: presigned.slice(presigned.indexOf('/test')), host }
  const account = { accessKeyId, secretAccessKey, region: 'us-east-1' }
  const midnight = Date.parse('2013-05-24T00:00:00Z')
  expect(refusalOf(request, account, midnight)).toBeNull()
  expect(refusalOf(request, account, midnight + 86_400_000)).toBeNull()
  expect(refusalOf(request, account, midnight + 86_400_001)).toBe('Request has expired')
})

/** Examples with the signature in a header; they prove the encoding of names, queries and bodies. */
const published = [
  {
    name: 'GET of a range',
    request: {
      method: 'GET',
      path: '/test.txt',
      query: '',
      headers: { host, range: 'bytes=0-9', 'x-amz-content-sha256': sha256(''), 'x-amz-date': at },
      signedHeaders: 'host;range;x-amz-content-sha256;x-amz-date',
      payloadHash: sha256(''),
    },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    name: 'PUT of test$file.text',
    request: {
      method: 'PUT',
      path: '/test$file.text',
      query: '',
      headers: {
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        host,
        'x-amz-content-sha256': sha256('Welcome to Amazon S3.'),
        'x-amz-date': at,
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
      signedHeaders: 'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
      payloadHash: sha256('Welcome to Amazon S3.'),
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    name: 'GET ?lifecycle',
    request: {
      method: 'GET',
      path: '/',
      query: 'lifecycle',
      headers: { host, 'x-amz-content-sha256': sha256(''), 'x-amz-date': at },
      signedHeaders: 'host;x-amz-content-sha256;x-amz-date',
      payloadHash: sha256(''),
    },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    name: 'GET ?max-keys=2&prefix=J',
    request: {
      method: 'GET',
      path: '/',
      query: 'prefix=J&max-keys=2',
      headers: { host, 'x-amz-content-sha256': sha256(''), 'x-amz-date': at },
      signedHeaders: 'host;x-amz-content-sha256;x-amz-date',
      payloadHash: sha256(''),
    },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
]

test.each(published)('the check of the tests computes the published signature of $name', ({ request, signature }) => {
  expect(signatureOf(request, scope, secretAccessKey)).toBe(signature)
})
