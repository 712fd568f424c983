import { createHash, createHmac } from 'node:crypto'

/** AWS Signature Version 4 as a storage checks it, sharing nothing with the signer. */

export type Account = { accessKeyId: string; secretAccessKey: string; sessionToken?: string; region: string }

const encode = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) => {
      const char = String.fromCharCode(byte)
      return /[A-Za-z0-9_.~-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()

/** The request with its path and query as they were sent, in the one form that is signed. */
function canonicalRequest(method: string, path: string, query: string, host: string, signedHeaders: string): string {
  const sorted = query
    .split('&')
    .map((pair) => pair.split('=') as [string, string?])
    .map(([name, value = '']) => `${encode(decodeURIComponent(name))}=${encode(decodeURIComponent(value))}`)
    .filter((pair) => !pair.startsWith('X-Amz-Signature='))
    .toSorted()
  const segments = path.split('/').map((segment) => encode(decodeURIComponent(segment)))
  const lines = signedHeaders.split(';').map((name) => `${name}:${name === 'host' ? host : ''}\n`)
  return [method, segments.join('/'), sorted.join('&'), lines.join(''), signedHeaders, 'UNSIGNED-PAYLOAD'].join('\n')
}

/** Verifies a presigned URL, as a client sends it, at `now` in milliseconds: null, or the storage's word for
 * what is wrong. */
export function refusalOfUrl(url: string, account: Account, now: number, method = 'GET'): string | null {
  const { accessKeyId, secretAccessKey, sessionToken, region } = account
  const { host } = new URL(url)
  const [path = '', query = ''] = url.slice(url.indexOf(host) + host.length).split(/\?(.*)/s)
  const given = new URLSearchParams(query)
  const at = given.get('X-Amz-Date') ?? ''
  const scope = `${at.slice(0, 8)}/${region}/s3/aws4_request`
  if (given.get('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') return 'AccessDenied'
  if (given.get('X-Amz-Credential') !== `${accessKeyId}/${scope}`) return 'InvalidAccessKeyId'
  if ((given.get('X-Amz-Security-Token') ?? undefined) !== sessionToken) return 'InvalidToken'
  const begins = Date.parse(at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  const age = now - begins
  if (!(age > -900_000 && age <= Number(given.get('X-Amz-Expires')) * 1000)) return 'Request has expired'
  const signedHeaders = given.get('X-Amz-SignedHeaders') ?? ''
  const request = canonicalRequest(method, path, query, host, signedHeaders)
  const key = scope.split('/').reduce<Buffer | string>((key, part) => hmac(key, part), `AWS4${secretAccessKey}`)
  const expected = hmac(key, ['AWS4-HMAC-SHA256', at, scope, sha256(request)].join('\n')).toString('hex')
  const fits = given.get('X-Amz-Signature') === expected && signedHeaders.split(';').includes('host')
  return fits ? null : 'SignatureDoesNotMatch'
}
