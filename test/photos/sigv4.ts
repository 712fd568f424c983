import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** AWS Signature Version 4 as a storage checks it, sharing nothing with the signer. */

type SignedRequest = {
  method: string
  /** The path as it was sent, percent-encoded. */
  path: string
  /** The query as it was sent, without `?`. */
  query: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** Names in lower case, in order, joined by semicolons. */
  signedHeaders: string
  payloadHash: string
}

/** What a signature is bound to. `at` is like `20130524T000000Z`. */
type Scope = { at: string; region: string; service: string }

const encode = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) => {
      const char = String.fromCharCode(byte)
      return /[A-Za-z0-9_.~-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()

function canonicalRequest({ method, path, query, headers, signedHeaders, payloadHash }: SignedRequest): string {
  const pairs = query === '' ? [] : query.split('&').map((pair) => pair.split('=') as [string, string?])
  const sorted = pairs
    .map(([name, value = '']) => `${encode(decodeURIComponent(name))}=${encode(decodeURIComponent(value))}`)
    .filter((pair) => !pair.startsWith('X-Amz-Signature='))
    .toSorted()
  const segments = path.split('/').map((segment) => encode(decodeURIComponent(segment)))
  const lines = signedHeaders.split(';').map((name) => `${name}:${(headers[name] ?? '').trim()}\n`)
  return [method, segments.join('/'), sorted.join('&'), lines.join(''), signedHeaders, payloadHash].join('\n')
}

/** The signature in hexadecimal. */
function signatureOf(request: SignedRequest, { at, region, service }: Scope, secret: string): string {
  const scope = `${at.slice(0, 8)}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', at, scope, sha256(canonicalRequest(request))].join('\n')
  const key = scope.split('/').reduce<Buffer | string>((key, part) => hmac(key, part), `AWS4${secret}`)
  return hmac(key, text).toString('hex')
}

export type Account = { accessKeyId: string; secretAccessKey: string; sessionToken?: string; region: string }

/** Verifies a presigned request at `now` in milliseconds: null, or the storage's word for
 * what is wrong. */
function refusalOf(
  { method, target, host }: { method: string; target: string; host: string },
  { accessKeyId, secretAccessKey, sessionToken, region }: Account,
  now: number,
): string | null {
  const mark = target.indexOf('?')
  const [path, query] = mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
  const given = new URLSearchParams(query)
  const at = given.get('X-Amz-Date') ?? ''
  if (given.get('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') return 'AccessDenied'
  if (given.get('X-Amz-Credential') !== `${accessKeyId}/${at.slice(0, 8)}/${region}/s3/aws4_request`)
    return 'InvalidAccessKeyId'
  if ((given.get('X-Amz-Security-Token') ?? undefined) !== sessionToken) return 'InvalidToken'
  const begins = Date.parse(at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  const age = now - begins
  if (!(age > -900_000 && age <= Number(given.get('X-Amz-Expires')) * 1000)) return 'Request has expired'
  const signedHeaders = given.get('X-Amz-SignedHeaders') ?? ''
  const request = { method, path, query, headers: { host }, signedHeaders, payloadHash: 'UNSIGNED-PAYLOAD' }
  const expected = Buffer.from(signatureOf(request, { at, region, service: 's3' }, secretAccessKey))
  const actual = Buffer.from(given.get('X-Amz-Signature') ?? '')
  const fits = actual.length === expected.length && timingSafeEqual(actual, expected)
  return fits && signedHeaders.split(';').includes('host') ? null : 'SignatureDoesNotMatch'
}

/** The same of a URL, as a client sends it. */
export function refusalOfUrl(url: string, account: Account, now: number, method = 'GET'): string | null {
  const { host } = new URL(url)
  return refusalOf({ method, target: url.slice(url.indexOf(host) + host.length), host }, account, now)
}
