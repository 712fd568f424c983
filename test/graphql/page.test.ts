import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examples } from '../../src/apps/graphql/page/examples.ts'
import { attributes } from '../reference/document.ts'
import { type GraphqlService, startGraphql, useGraphql } from './support.ts'

const world = useGraphql()
let demo: GraphqlService
let origin: string

beforeAll(async () => {
  const { id, people } = world.cast.a
  const person = { studioId: id, userId: people.owner.id, studio: 'Attic Sound', name: 'Somebody' }
  demo = await startGraphql(world.database, { demo: person })
  origin = `http://127.0.0.1:${demo.port}`
})
afterAll(() => demo?.stop())

const get = (service: GraphqlService, path: string, headers = {}) =>
  fetch(`http://127.0.0.1:${service.port}${path}`, { headers })

test('the page has the header of all pages, and loads nothing but its own files, wherever a proxy puts it', async () => {
  const page = await (await get(world.graphql, '/')).text()
  expect(attributes(/<header class="site">.*<\/header>/s.exec(page)?.[0] ?? '', 'href')).toEqual(['/', '/docs', './'])
  const [head = ''] = /<head>.*<\/head>/s.exec(page) ?? []
  const loaded = [...attributes(head, 'src'), ...attributes(head, 'href')]
  expect(loaded.length).toBeGreaterThan(4)
  for (const address of loaded) expect(address).toMatch(/^assets\/[0-9a-f]{16}\/[\w.]+$/)
})

test('the page is kept by its tag, its files are kept forever', async () => {
  const first = await get(world.graphql, '/')
  const tag = first.headers.get('etag') ?? ''
  expect((await get(world.graphql, '/', { 'If-None-Match': tag, 'Cache-Control': 'max-age=0' })).status).toBe(304)
  const [file = ''] = attributes(await first.text(), 'src').filter((address) => address.endsWith('run.js'))
  const { status, headers } = await get(world.graphql, `/${file}`)
  expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
  expect((await get(world.graphql, `/${file.replace('run', 'walk')}`)).status).toBe(404)
})

test('a browser that asks for the icon gets it', async () => {
  const { status, headers } = await get(world.graphql, '/favicon.ico')
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'image/svg+xml',
    'public, max-age=86400',
  ])
})

test('the exact command for an identity comes right after the field for it; in the demo, which needs none, after the query', async () => {
  const command = 'npx studio-inventory analyst token \\\n  --studio &#39;'
  for (const [service, first, second] of [
    [world.graphql, command, '<form class="ask"'],
    [demo, '<form class="ask"', command],
  ] as const) {
    const page = await (await get(service, '/')).text()
    expect(page).not.toContain('&lt;')
    const places = ['<input id="token"', first, second].map((text) => page.indexOf(text))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
  }
})

test('the page shows the limits that are in force', async () => {
  const page = await (await get(world.graphql, '/')).text()
  for (const words of ['10,000', '1,000', '8 MB', '64 KiB', '500,000', '<code>having</code>'])
    expect(page).toContain(words)
})

test.each(examples.map(({ title, query, variables }) => [title, query, variables] as const))(
  'the query "%s" of the page is answered',
  async (_title, query, variables) => {
    const reply = await world.ask(query, { ...(variables && { variables: JSON.parse(variables) }) })
    expect([reply.status, reply.errors]).toEqual([200, undefined])
  },
)

describe('an identity without asking', () => {
  const demand = (headers: Record<string, string>, service = demo) =>
    service.ask('', { path: '/demo-identity', body: '', headers })

  test('is given to the page of the demo, of its owner', async () => {
    const reply = await demand({ Origin: origin })
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store'])
    const { token } = JSON.parse(reply.text)
    const answer = await demo.ask('{ account { name } }', { token })
    expect(answer.data).toEqual({ account: { name: 'Attic Sound' } })
  })

  test.each<[string, () => Record<string, string>]>([
    ['a program', () => ({})],
    ['a page of another site', () => ({ Origin: 'https://evil.example' })],
    ['a page of another port', () => ({ Origin: 'http://127.0.0.1:3000' })],
    [
      'a name that somebody pointed here',
      () => ({ Origin: `http://evil.example:${demo.port}`, Host: `evil.example:${demo.port}` }),
    ],
    ['a page without an origin', () => ({ Origin: 'null' })],
  ])('is not given to %s', async (_what, headers) => {
    const reply = await demand(headers())
    expect(reply.status).toBe(404)
    expect(reply.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('is not given where there is no demo', async () => {
    expect((await demand({ Origin: `http://127.0.0.1:${world.graphql.port}` }, world.graphql)).status).toBe(404)
  })
})
