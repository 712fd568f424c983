import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { operations } from '../../src/api/operations.ts'
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
async function start(more: Record<string, string> = {}, last = /\/account'\n/) {
  const service = startCli(['serve'], { ...env(), ...more })
  const gone = service.ended.then(({ stderr }) => {
    throw new Error(`the service ended: ${stderr}`)
  })
  gone.catch(() => undefined)
  onTestFinished(() => void service.child.kill('SIGKILL'))
  const greeted = () => last.test(service.output())
  await Promise.race([vi.waitUntil(greeted, { timeout: 80_000, interval: 20 }), gone])
  const curls = [...service.output().matchAll(/^curl -H '(\w+): (.*)' '(.*)'$/gm)]
  return {
    token: /^Token: (\S+)$/m.exec(service.output())?.[1] ?? '',
    urls: curls.map(([, name, value, url]) => ({ name: name as string, value: value as string, url: url as string })),
    stop: (signal: NodeJS.Signals) => {
      service.child.kill(signal)
      return service.ended
    },
    output: service.output,
  }
}

/** What a line prints in a shell in another folder, with other variables set. */
async function pasted(line: string): Promise<unknown> {
  const other = { ...process.env, DATA_DIR: '/nowhere', DATABASE_URL: 'postgres://nowhere.invalid/db', PORT: '1' }
  return JSON.parse((await promisify(execFile)('sh', ['-c', line], { cwd: '/', env: other })).stdout)
}

test('an empty folder becomes a service with a working token and a line for each endpoint, and shuts down gracefully', async () => {
  const first = await start()

  expect(first.urls).toHaveLength(operations.length)
  for (const { name, value, url } of first.urls) {
    const response = await fetch(url, { headers: { [name]: value } })
    expect({ url, status: response.status }).toEqual({ url, status: 200 })
  }
  const detail = await fetch(first.urls[1]?.url ?? '', authorized(first.token))
  const item = (await detail.json()) as { data: { photo_urls: string[] } }
  expect(item.data.photo_urls.length).toBeGreaterThan(0)
  const photo = await fetch(item.data.photo_urls[0] ?? '')
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
  // The service prints the line when GraphQL answers.
  const lineOfGraphql = await vi.waitFor(
    () => {
      const line = first
        .output()
        .split('\n')
        .findLast((line) => line.includes(`'${graphql}/graphql'`))
      expect(line).toBeDefined()
      return line ?? ''
    },
    { timeout: 20_000 },
  )
  expect(await pasted(lineOfGraphql)).toEqual({
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

  // The activity of the last second was written at the end. The command starts the server.
  const activity = await runCli(['token', 'activity', '--studio', 'Northlight Studios', 'Demo', '--json'], env())
  expect(activity).toMatchObject({ status: 0, stderr: '' })
  expect(JSON.parse(activity.stdout)).toHaveLength(operations.length + 1)

  const again = await start({ LOG_LEVEL: 'warn', ...bucket })
  expect(again.token).toBe(first.token)
  const elsewhere = await fetch(again.urls[1]?.url ?? '', authorized(again.token))
  const { photo_urls: urls } = ((await elsewhere.json()) as typeof item).data
  expect(urls).toHaveLength(item.data.photo_urls.length)
  for (const url of urls)
    expect(url).toMatch(/^https:\/\/studio-photos\.s3\.eu-central-1\.amazonaws\.com\/.+Expires=3600/)
  expect(again.output()).not.toContain(bucket.AWS_SECRET_ACCESS_KEY)
  expect(again.output()).not.toContain('made demo data')
  expect((await again.stop('SIGINT')).status).toBe(0)

  // As on a terminal: where to go, one request and where the token is, in lines for people.
  const greeted = await start({ LOG_FORMAT: 'text' }, /Ctrl-C/)
  await fetch(greeted.urls[0]?.url ?? '', authorized(first.token))
  await vi.waitFor(() => expect(greeted.output()).toMatch(/^\d\d:\d\d:\d\d {2}200 GET \/v1\/items {2}\d+ ms$/m))
  const { stdout } = await greeted.stop('SIGINT')
  expect(stdout).not.toMatch(/^\{/m)
  expect(stdout.match(/^ {2}\w+ +http:\S+/gm)).toHaveLength(3)
  expect(stdout.match(/^curl /gm)).toHaveLength(1)
  expect(stdout).toContain(`The token is also in ${join(folder, 'demo.json')}.`)
  // The server of the folder has stopped, too.
  await expect(stat(join(folder, 'postgres', 'postmaster.pid'))).rejects.toMatchObject({ code: 'ENOENT' })
}, 180_000)

const authorized = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
