import { describe, expect, it } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { problemDefinitions } from '../../src/http/problems.ts'
import { describedApi, describedOperation, describedResponse, resolve } from '../openapi/described.ts'
import { attributes, example, pageOf, partOf, textOf } from './document.ts'

const page = pageOf()
const document = describedApi()

type Schema = {
  $ref?: string
  type?: string | string[]
  anyOf?: Schema[]
  items?: Schema
  enum?: string[]
  description?: string
  properties?: Record<string, Schema>
}

/** What the markup says of the field or parameter with an anchor. */
function wordsOf(anchor: string): string {
  const start = page.indexOf(`<div id="${anchor}">`)
  if (start < 0) throw new Error(`nothing has the anchor ${anchor}`)
  return textOf(page.slice(start, page.indexOf('</div>', start)))
}

/** A word for each type that the schema has, null among them. */
function typesOf(schema: Schema): string[] {
  const target = resolve<Schema>(document, schema as { $ref: string })
  return [...[target.type ?? []].flat(), ...(target.anyOf ?? []).flatMap(typesOf)]
}

describe.each(operations)('$id', (operation) => {
  const { id, path, summary } = operation
  const described = describedOperation(document, path)
  const section = partOf(page, id)

  it('is in the page without scripts: its name, its address, what it is', () => {
    expect(textOf(section)).toContain(`${summary.replace(/\.$/, '')} GET /v1${path}`)
    expect(textOf(section)).toContain(textOf(described.description.replaceAll('`', '')))
    expect(attributes(partOf(page, 'endpoints'), 'href')).toContain(`#${id}`)
  })

  it('has every parameter with an anchor, where it is sent, and what it means', () => {
    for (const reference of described.parameters) {
      const { name, in: where, ...parameter } = resolve(document, reference)
      const { description } = parameter as { description?: string }
      expect(wordsOf(`${id}.${name}`)).toContain(where)
      expect(wordsOf(`${id}.${name}`)).toContain((description ?? 'missing').replaceAll('`', ''))
    }
  })

  it('has every field with an anchor, its type, null where it may be null, its values, and its meaning', () => {
    const { content } = describedResponse(document, path, 200)
    const envelope = resolve<Schema>(document, content?.['application/json']?.schema ?? {})
    const data = resolve<Schema>(document, (envelope.properties?.data ?? {}) as { $ref: string })
    const resource = resolve<Schema>(document, (data.items ?? data) as { $ref: string })
    const fields = Object.entries(resource.properties ?? {})
    expect(fields.length).toBeGreaterThan(3)
    for (const [name, schema] of fields) {
      const words = wordsOf(`${id}.data.${name}`)
      for (const type of typesOf(schema)) expect(words).toContain(type)
      const named = [schema, ...(schema.anyOf ?? [])].map((each) => resolve<Schema>(document, each as { $ref: string }))
      for (const value of named.flatMap((each) => each.enum ?? [])) expect(words).toContain(value)
      const meanings = [schema, ...named].map(({ description }) => description).filter((text) => text !== undefined)
      expect(meanings, `${name} of ${id} has no meaning`).not.toEqual([])
      for (const meaning of meanings) {
        const times = words.split(meaning.replaceAll('`', '').replace(/\.$/, '')).length - 1
        expect(times, `how often ${name} of ${id} says: ${meaning}`).toBe(1)
      }
      if (typesOf(schema).includes('number')) expect(words).toContain('· money')
    }
  })

  it('leads to every error that it can have', () => {
    const codes = Object.keys(described.responses).flatMap((status) => {
      const { content } = describedResponse(document, path, status)
      return Object.keys(content?.['application/problem+json']?.examples ?? {})
    })
    expect(codes.length).toBeGreaterThan(4)
    const links = textOf(section.slice(section.indexOf('Errors: ')).split('</p>')[0] ?? '')
    const statuses = [...links.matchAll(/\d{3}/g)].map(Number)
    expect(statuses).toHaveLength(codes.length)
    expect(statuses).toEqual(statuses.toSorted((one, other) => one - other))
    for (const code of codes) {
      expect(attributes(section, 'href')).toContain(`#error-${code.replaceAll('_', '-')}`)
      expect(problemDefinitions).toHaveProperty(code)
    }
  })
})

it('the program in JavaScript is one that runs', async () => {
  const asked: unknown[] = []
  const fetch = async (...request: unknown[]) => {
    asked.push(request)
    return Response.json({ data: [1], meta: 2 })
  }
  for (const { id, envelope } of operations) {
    const program = `${example(page, `${id} JavaScript`)}\nreturn data`
    const run = new Function('fetch', `return (async () => { ${program} })()`)
    expect(await run(fetch), envelope).toEqual([1])
  }
  expect(asked[0]).toEqual([
    'https://api.example.com/v1/items?per_page=2',
    { headers: { Authorization: 'Bearer YOUR_TOKEN' } },
  ])
  expect(asked).toHaveLength(operations.length)
})
