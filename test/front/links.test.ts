import { expect, it } from 'vitest'
import { baseOf, graphqlAddress, placesOf } from '../../src/apps/places.ts'

const config = (publicUrl: string, graphqlUrl?: string) => ({
  publicUrl,
  graphql: { port: 3001, publicUrl: graphqlUrl, poolSize: 1, trusted: undefined },
})

it('in the demo GraphQL is on the host that clients use, with the page to write queries in', () => {
  expect(graphqlAddress(config('http://192.0.2.7:3000'), 3001)).toEqual({
    url: 'http://192.0.2.7:3001/graphql',
    ide: 'http://192.0.2.7:3001/',
  })
})

it('elsewhere it is where the operator says, and nowhere when nobody says', () => {
  expect(graphqlAddress(config('https://api.example.com', 'https://graphql.example.com'), undefined)).toEqual({
    url: 'https://graphql.example.com/graphql',
    ide: 'https://graphql.example.com/',
  })
  expect(graphqlAddress(config('https://api.example.com'), undefined)).toBeUndefined()
})

it.each([
  ['http://localhost:3000', ''],
  ['https://x.example/inventory', '/inventory'],
  ['https://x.example/a/b', '/a/b'],
])('what a proxy puts before the paths of %s is %j', (publicUrl, base) => {
  expect(baseOf(publicUrl)).toBe(base)
})

const beside = { console: true, graphql: { url: 'http://localhost:3001/graphql', ide: 'http://localhost:3001/' } }

it('pages of this service link by paths; a reference that the operator has elsewhere is linked there', () => {
  const publicUrl = 'https://x.example/inventory'
  const pages = { home: '/inventory/', console: '/inventory/console', graphql: 'http://localhost:3001/' }
  expect(placesOf({ publicUrl, docsUrl: `${publicUrl}/docs` }, beside)).toEqual({ ...pages, docs: '/inventory/docs' })
  expect(placesOf({ publicUrl, docsUrl: 'https://learn.example/' }, beside).docs).toBe('https://learn.example/')
})

it('what is off has no place', () => {
  const publicUrl = 'http://localhost:3000'
  const places = placesOf({ publicUrl, docsUrl: `${publicUrl}/docs` }, { console: false, graphql: undefined })
  expect(places).toEqual({ home: '/', docs: '/docs', console: undefined, graphql: undefined })
})
