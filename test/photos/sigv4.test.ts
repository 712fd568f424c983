import { expect, test } from 'vitest'
import { createS3Photos } from '../../src/photos/s3.ts'
import { refusalOfUrl } from './sigv4.ts'

/** The examples of "Authenticating Requests (AWS Signature Version 4)" in Amazon's S3 reference. */
const accessKeyId = 'AKIAIOSFODNN7EXAMPLE'
const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const presigned =
  'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
  '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
  '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
  '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404'

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
  const account = { accessKeyId, secretAccessKey, region: 'us-east-1' }
  const midnight = Date.parse('2013-05-24T00:00:00Z')
  expect(refusalOfUrl(presigned, account, midnight)).toBeNull()
  expect(refusalOfUrl(presigned, account, midnight + 86_400_000)).toBeNull()
  expect(refusalOfUrl(presigned, account, midnight + 86_400_001)).toBe('Request has expired')
})
