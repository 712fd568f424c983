import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { findPort } from '../../src/http/listener.ts'
import { runCli, startCli } from '../cli/run.ts'

let folder: string
let port: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "studio inventory's processes "))
  await chmod(folder, 0o755) // as root the server runs as another user, who has to get in
  port = String(await findPort('127.0.0.1', 0))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const env = () => ({ DATA_DIR: folder, PORT: port, HOST: '127.0.0.1', PUBLIC_URL: `http://127.0.0.1:${port}` })

const bucket = {
  PHOTOS_S3_BUCKET: 'studio-photos',
  PHOTOS_S3_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}

/** Starts the service and waits for what it prints. */
async function start(more: Record<string, string> = {}) {
  const service = startCli(['serve'], { ...env(), ...more })
  const gone = service.ended.then(({ stderr }) => {
    throw new Error(`the service ended: ${stderr}`)
  })
  gone.catch(() => undefined)
  onTestFinished(() => void service.child.kill('SIGKILL'))
  const greeted = () => /demo\.json\.\n/.test(service.output())
  await Promise.race([vi.waitUntil(greeted, { timeout: 80_000, interval: 20 }), gone])
  const [, token = '', url = ''] = /^curl -H 'Authorization: Bearer (.*)' '(.*)'$/m.exec(service.output()) ?? []
  const ask = async <Data = unknown[]>(path = url) => {
    const response = await fetch(new URL(path, url), { headers: { Authorization: `Bearer ${token}` } })
    return ((await response.json()) as { data: Data }).data
  }
  return {
    token,
    ask,
    stop: (signal: NodeJS.Signals) => {
      service.child.kill(signal)
      return service.ended
    },
    output: service.output,
  }
}

test('an empty folder becomes a service with links and a request that works, and shuts down gracefully', async () => {
  const first = await start()

  expect(first.output().match(/^ {2}\w+ +http:\S+/gm)).toHaveLength(3)
  expect(first.output().match(/^curl /gm)).toHaveLength(1)
  expect(await first.ask()).toHaveLength(5)
  // This item has photos.
  const path = `/v1/items/${JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8')).itemId}`
  const item = await first.ask<{ photo_urls: string[] }>(path)
  const photo = await fetch(item.photo_urls[0] ?? '')
  expect(photo.headers.get('content-type')).toBe('image/png')
  expect(
    Buffer.from(await photo.arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG')
  expect((await stat(join(folder, 'demo.json'))).mode & 0o777).toBe(0o600)
  const { links } = (await (await fetch(env().PUBLIC_URL)).json()) as { links: Record<string, string> }
  expect(links.console).toBe(`${env().PUBLIC_URL}/console`)
  const graphql = `http://localhost:${new URL(links.graphql ?? '').port}`
  const asking = await runCli(['analyst', 'token', '--studio', 'Northlight Studios'], env())
  const identity = asking.stdout.trim().split(/\s+/).at(-1)
  const query = '{ items { aggregates { sum { currentEstimatedValue } } } }'
  const headers = { Authorization: `Bearer ${identity}`, 'Content-Type': 'application/json' }
  // GraphQL starts a little later than the API.
  const answer = await vi.waitFor(
    () => fetch(`${graphql}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) }),
    { timeout: 20_000 },
  )
  expect(await answer.json()).toEqual({
    data: { items: { aggregates: { sum: { currentEstimatedValue: expect.any(String) } } } },
  })

  // While the service runs, commands use its server, and a second service is refused.
  const tokens = await runCli(['token', 'list', '--studio', 'Northlight Studios'], env())
  expect(tokens.stdout).toContain(first.token.slice(0, 15))
  const second = await runCli(['serve'], env())
  expect(second).toMatchObject({ status: 1, stdout: '' })
  expect(second.stderr).toBe(
    `studio-inventory: port ${port} is taken: set PORT to another, for example PORT=${Number(port) + 1}\n`,
  )

  const ended = await first.stop('SIGTERM')
  expect(ended.status).toBe(0)
  expect(ended.stdout).toContain('"msg":"stopped"')
  const log = ended.stdout.split('\n').filter((line) => line.startsWith('{'))
  expect(log.join('\n')).not.toContain(first.token)
  expect(log.join('\n')).not.toContain('photos could not be signed')

  const again = await start({ LOG_LEVEL: 'warn', ...bucket })
  // The activity of the last second was written at the end.
  const { stdout: url } = await runCli(['url'], env())
  const text = `select from access.request_activity where request_id is not null`
  const written = await withClient(url.trim(), (admin) => admin.query(text))
  expect(written.rowCount).toBe(2)
  expect(again.token).toBe(first.token)
  const { photo_urls: urls } = await again.ask<typeof item>(path)
  expect(urls).toHaveLength(item.photo_urls.length)
  for (const url of urls)
    expect(url).toMatch(/^https:\/\/studio-photos\.s3\.eu-central-1\.amazonaws\.com\/.+Expires=3600/)
  expect(again.output()).not.toContain(bucket.AWS_SECRET_ACCESS_KEY)
  expect(again.output()).not.toContain('made demo data')
  expect((await again.stop('SIGINT')).status).toBe(0)

  // As on a terminal: the log is lines for people.
  const greeted = await start({ LOG_FORMAT: 'text' })
  await greeted.ask()
  await vi.waitFor(() => expect(greeted.output()).toMatch(/^\d\d:\d\d:\d\d {2}200 GET \/v1\/items {2}\d+ ms$/m))
  const { stdout } = await greeted.stop('SIGINT')
  expect(stdout).not.toMatch(/^\{/m)
  expect(stdout).toContain(`The token is also in ${join(folder, 'demo.json')}.`)
  // The server of the folder has stopped, too.
  await expect(stat(join(folder, 'postgres', 'postmaster.pid'))).rejects.toMatchObject({ code: 'ENOENT' })
}, 180_000)
