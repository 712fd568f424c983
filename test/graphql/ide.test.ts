import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, test } from 'vitest'
import { serveIde } from '../../src/apps/graphql/ide.ts'
import { attributes } from '../reference/document.ts'

test('the query page has the header of all pages, with the way back, and asks nobody else for anything', async () => {
  const ide = await serveIde({
    home: 'http://localhost:3000/',
    docs: 'http://localhost:3000/docs',
    console: 'http://localhost:3000/console',
    graphql: '/',
  })
  const server = createServer(express().get('/', ide.page)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const page = await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)).text()
  server.close()
  const header = /<header class="site">.*<\/header>/s.exec(page)?.[0] ?? ''
  expect(attributes(header, 'href')).toEqual([
    'http://localhost:3000/',
    'http://localhost:3000/docs',
    'http://localhost:3000/console',
    '/',
  ])
  expect(header).toContain('<a href="/" aria-current="page">GraphQL</a>')
  expect(page).toMatch(/<link rel="icon" href="data:image\/svg\+xml;base64,[\w+/=]+">/)
  const loaded = [...attributes(page, 'src'), ...attributes(page.replace(header, ''), 'href')]
  expect(loaded.filter((address) => !/^\/ruru\/|^data:/.test(address))).toEqual([])
})
