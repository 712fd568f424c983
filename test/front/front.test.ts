import { readFile } from 'node:fs/promises'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { docsUrl, type Reply, type RunningApp, startApp } from '../http/support.ts'
import { attributes, textOf } from '../reference/document.ts'

const publicUrl = 'https://api.example.com/inventory'
/** Firefox and Chromium send this. */
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))

let app: RunningApp
let whole: RunningApp
beforeAll(async () => {
  app = await startApp({ config: { publicUrl } })
  whole = await startApp({
    config: { publicUrl, docsUrl: `${publicUrl}/docs` },
    console: express.Router(),
    graphql: { url: 'https://graphql.example.com/graphql' },
    mcp: () => () => undefined,
  })
})
afterAll(async () => {
  await app.close()
  await whole.close()
})

const ask = (from: RunningApp, accept?: string, method = 'GET') =>
  from.get('/', { token: null, method, headers: accept === undefined ? {} : { Accept: accept } })
const kindOf = ({ status, headers }: Reply) => [status, headers['content-type'], headers.vary]
const headerLinks = (body: string) => attributes(/<header.*<\/header>/s.exec(body)?.[0] ?? '', 'href')

describe('GET /', () => {
  it('answers a client that prefers HTML with a page, and everybody else with JSON', async () => {
    for (const accept of [
      browser,
      'text/html',
      'text/html, application/json;q=0.9',
      'application/json;q=0.1, text/*',
    ]) {
      expect(kindOf(await ask(app, accept))).toEqual([200, 'text/html; charset=utf-8', 'Accept, Accept-Encoding'])
    }
    const others = ['*/*', 'application/json, text/html', 'text/html;q=0.5, application/json', 'text/html;q=0, */*']
    for (const accept of [undefined, ...others]) {
      expect(kindOf(await ask(app, accept))).toEqual([200, 'application/json; charset=utf-8', 'Accept'])
    }
  })

  it.each([
    [browser, 'no-cache'],
    ['application/json', 'no-store'],
  ])('needs no token and reads nobody’s data: %s', async (accept, cache) => {
    const { headers } = await ask(app, accept)
    expect(headers['cache-control']).toBe(cache)
    expect(headers).not.toHaveProperty('set-cookie')
    expect([app.queries, app.activities]).toEqual([[], []])
  })
})

describe('the JSON', () => {
  it('says what this is, its version, and where everything is', async () => {
    expect(JSON.parse((await ask(whole)).body)).toEqual({
      name: 'Studio Inventory API',
      version,
      links: {
        api: `${publicUrl}/v1`,
        docs: `${publicUrl}/docs`,
        openapi: `${publicUrl}/openapi.json`,
        console: `${publicUrl}/console`,
        graphql: 'https://graphql.example.com/graphql',
        mcp: `${publicUrl}/mcp`,
        health: `${publicUrl}/healthz`,
      },
    })
  })

  it('leaves out what is off', async () => {
    const { links } = JSON.parse((await ask(app)).body)
    expect(Object.keys(links)).toEqual(['api', 'docs', 'openapi', 'health'])
    expect(links.docs).toBe(docsUrl)
  })
})

describe('the page', () => {
  it("links to the same pages below a proxy's path", async () => {
    const { body } = await ask(whole, browser)
    const links = attributes(body, 'href').filter((href) => !href.startsWith('#') && !href.includes('/assets/'))
    const names = ['', 'docs', 'console', 'docs#first-call', 'openapi.json', 'healthz']
    const paths = names.map((path) => `/inventory/${path}`)
    expect(new Set(links)).toEqual(new Set(paths))
    expect(headerLinks(body)).toEqual(paths.slice(0, 3))
    const urls = ['https://graphql.example.com/graphql', `${publicUrl}/mcp`, `${publicUrl}/v1/items`]
    for (const words of [`Version ${version}`, ...urls]) expect(textOf(body)).toContain(words)
  })

  it('leads to the page to write queries in, where there is one', async () => {
    const demo = await startApp({ graphql: { url: 'http://localhost:3001/graphql', ide: 'http://localhost:3001/' } })
    const { body } = await ask(demo, browser)
    expect(attributes(body, 'href').filter((href) => href === 'http://localhost:3001/')).toHaveLength(2)
    expect(headerLinks(body)).toContain('http://localhost:3001/')
    await demo.close()
  })

  it('names neither the console, GraphQL nor assistants where they are off, and the documentation where it is', async () => {
    const { body } = await ask(app, browser)
    expect(textOf(body)).not.toMatch(/console|GraphQL|assistants/i)
    expect(attributes(body, 'href')).toContain(docsUrl)
  })

  it.each([
    ['is ready', async () => ({ ready: true, schemaVersion: '1' }) as const, 'The service is up and ready.'],
    ['is not ready', async () => ({ ready: false, reason: 'secret' }) as const, 'temporarily unavailable: why'],
    ['does not know', () => Promise.reject(new Error('no database')), 'temporarily unavailable: why'],
    ['does not know in time', () => new Promise<never>(() => {}), 'temporarily unavailable: why'],
  ])('says what the state of the service is when it %s', async (_state, ready, words) => {
    const other = await startApp({ ready })
    const { status, body } = await ask(other, browser)
    expect([status, textOf(body)]).toEqual([200, expect.stringContaining(words)])
    expect(body).not.toContain('secret')
    await other.close()
  })

  it('escapes the addresses that the operator chose', async () => {
    const hostile = 'https://x.example/"><img src=x onerror=alert(1)>&\''
    const config = { publicUrl: hostile, docsUrl: hostile }
    const odd = await startApp({ config, graphql: { url: hostile, ide: hostile } })
    expect((await ask(odd, browser)).body).not.toContain('<img src=x')
    await odd.close()
  })
})

it('/favicon.ico is the icon, for browsers that show an answer of the API', async () => {
  const { status, headers, body } = await app.get('/favicon.ico', { token: null })
  const kind = [200, 'image/svg+xml', 'public, max-age=86400']
  expect([status, headers['content-type'], headers['cache-control']]).toEqual(kind)
  expect(body).toBe(await readFile(new URL('../../src/web/styles/icon.svg', import.meta.url), 'utf8'))
})
