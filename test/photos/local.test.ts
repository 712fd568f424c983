import { createHmac } from 'node:crypto'
import { mkdir, symlink } from 'node:fs/promises'
import { type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { problem } from '../../src/docs/openapi/responses.ts'
import { createLocalPhotos } from '../../src/photos/local.ts'
import { type RunningApp, startApp } from '../http/support.ts'
import { useFolder } from '../support/folder.ts'

const secretKey = 'a secret of the service, longer than 32 characters'
const signingKey = createHmac('sha256', secretKey).update('photos').digest()
const bytes = Buffer.from('89504e470d0a1a0a00ff', 'hex')
const folder = useFolder()
let now = Date.now()
let app: RunningApp

beforeAll(async () => {
  await mkdir(folder.at('photos/studio/directory.png'), { recursive: true })
  const pictures = ['1.png', '2.jpg', '3.webp', '4.svg'].map((name) => `photos/studio/${name}`)
  for (const name of [...pictures, 'outside.png', 'photos/.hidden.png']) await folder.file(name, bytes)
  app = await startApp({ signer: photos() })
})
afterAll(() => app.close())

function photos(publicUrl = 'https://api.example.com') {
  return createLocalPhotos({ secretKeys: secretKey, publicUrl, photosDir: folder.at('photos'), now: () => now })
}

const pathOf = (url: string) => new URL(url).pathname

const forge = async (claims: JWTPayload, key: Uint8Array = signingKey, alg = 'HS256') =>
  `/photos/${await new SignJWT(claims).setProtectedHeader({ alg }).sign(key)}`

async function expectNotFound(path: string): Promise<void> {
  const reply = await app.get(path, { token: null })
  expect([path, reply.status]).toEqual([path, 404])
  expect(problem.parse(JSON.parse(reply.body)).code).toBe('not_found')
}

test('the photo behind a URL is served whole, without a token', async () => {
  const types = { 'studio/1.png': 'image/png', 'studio/2.jpg': 'image/jpeg', 'studio/3.webp': 'image/webp' }
  for (const [key, type] of Object.entries(types)) {
    const response = await fetch(`http://127.0.0.1:${app.port}${pathOf(await photos().sign(key))}`)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...{ 'content-type': type, 'content-length': String(bytes.length) },
      ...{ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
    })
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes)
  }
  const head = await app.get(pathOf(await photos().sign('studio/1.png')), { method: 'HEAD' })
  expect([head.status, head.headers['content-length'], head.body]).toEqual([200, '10', ''])
})

test('after an hour the URL is not found', async () => {
  const path = pathOf(await photos().sign('studio/1.png'))
  const signedAt = now
  now = signedAt + 3_598_000
  expect((await app.get(path)).status).toBe(200)
  now = signedAt + 3_601_000
  await expectNotFound(path)
  now = signedAt
})

test('a URL that this service did not sign is not found', async () => {
  const claims = { sub: 'studio/1.png', aud: 'photos', exp: Math.floor(now / 1000) + 60 }
  expect((await app.get(await forge(claims))).status).toBe(200)
  const good = pathOf(await photos().sign('studio/1.png'))
  const [header = '', payload = '', signature = ''] = good.slice('/photos/'.length).split('.')
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  const paths = [
    ...['/photos/', '/photos/x', '/photos/..%2foutside.png', '/photos/studio%2f1.png'],
    `/photos/${header}.${payload}.`,
    `/photos/${none}.${payload}.`,
    `/photos/${header}.${payload}.${signature.slice(0, -2)}${signature.endsWith('AA') ? 'BA' : 'AA'}`,
    `/photos/${header}.${Buffer.from(JSON.stringify({ ...claims, sub: 'studio/2.jpg' })).toString('base64url')}.${signature}`,
    await forge(claims, Buffer.from(secretKey)),
    await forge(claims, signingKey, 'HS512').catch(() => '/photos/x'),
    await forge({ ...claims, aud: 'other' }),
    await forge({ sub: claims.sub, exp: claims.exp }),
    await forge({ sub: claims.sub, aud: claims.aud }),
    await forge({ aud: claims.aud, exp: claims.exp }),
  ]
  for (const path of paths) await expectNotFound(path)
})

const refused = [
  ...['', '/etc/x.png', '../outside.png', 'studio/../../outside.png', 'studio/..\\..\\outside.png', '.hidden.png'],
  ...['studio/1.png\0.png', 'studio/4.svg', 'studio/1', 'C:\\x.png', 'studio/%2e%2e/1.png'],
]

test.each(refused)('the key %j is not signed, and not served even when signed', async (sub) => {
  await expect(photos().sign(sub)).rejects.toThrow()
  await expectNotFound(await forge({ sub, aud: 'photos', exp: Math.floor(now / 1000) + 60 }))
})

test('a missing file and a folder are not found', async () => {
  await symlink('nowhere.png', folder.at('photos/studio/broken.png'))
  for (const name of ['9', 'directory', 'broken'])
    await expectNotFound(pathOf(await photos().sign(`studio/${name}.png`)))
})

test('with photos that another service serves, no address below /photos exists', async () => {
  const other = await startApp()
  expect((await other.get('/photos/x')).status).toBe(404)
  await other.close()
})
