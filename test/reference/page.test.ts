import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { listLocations } from '../../src/api/locations.ts'
import { operations } from '../../src/api/operations.ts'
import { allParameters } from '../../src/docs/openapi/schemas.ts'
import { syncPrograms, syncSections } from '../../src/docs/polling-programs/programs.ts'
import { markdown } from '../../src/docs/reference/parts.ts'
import { createProblems, type ProblemCode, problemDefinitions } from '../../src/http/problems.ts'
import { disclaimers } from '../../src/http/response.ts'
import { sourceOf } from '../../src/web/links.ts'
import { docsUrl, type Reply, type RunningApp, startApp } from '../http/support.ts'
import { describedApi } from '../openapi/described.ts'
import { attributes, pageOf, partOf, textOf } from './document.ts'

const rateLimits = {
  pro: { perSecond: 11, perMinute: 122 },
  studio: { perSecond: 21, perMinute: 322 },
  failedPerMinute: 1,
}
let app: RunningApp
let reply: Reply
beforeAll(async () => {
  app = await startApp({ config: { rateLimits } })
  reply = await app.get('/docs', { token: null })
})
afterAll(() => app.close())

describe('GET /docs', () => {
  it('also answers with a final slash, behind any proxy path', async () => {
    const { status, headers } = await app.get('/docs/', { token: null })
    expect([status, headers.location]).toEqual([308, '../docs'])
    expect(new URL('../docs', 'https://x.example/inventory/docs/').pathname).toBe('/inventory/docs')
    expect((await app.get('/docs/x', { token: null })).status).toBe(404)
  })

  it('renders the page once, however many ask for it at the same time', async () => {
    /** How often the page looked at the limits of a plan. */
    const looksOf = async (requests: number) => {
      let looks = 0
      const counted = {
        ...rateLimits,
        get pro() {
          looks += 1
          return rateLimits.pro
        },
      }
      const fresh = await startApp({ config: { rateLimits: counted } })
      await Promise.all(Array.from({ length: requests }, () => fresh.get('/docs', { token: null })))
      await fresh.close()
      return looks
    }
    const once = await looksOf(1)
    expect(once).toBeGreaterThan(0)
    expect(await looksOf(20)).toBe(once)
  })
})

describe('the page', () => {
  const problems = createProblems(docsUrl)
  const codes = Object.keys(problemDefinitions) as ProblemCode[]
  const fragmentOf = (url: string) => new URL(url).hash.slice(1)

  it.each(codes)('explains %s where its type leads', (code) => {
    const { type, title, status } = problems.body(code, '')
    const part = partOf(reply.body, fragmentOf(type))
    expect(textOf(part)).toContain(`${status} ${code} ${title}`)
    expect(part.match(/<p>/g)).toHaveLength(2)
    expect(attributes(part, 'href')[0]).toBe(`#${fragmentOf(type)}`)
    expect(textOf(part)).toContain('What to do:')
  })

  it('has the disclaimers, word for word, where documentation_url leads', () => {
    const { _meta: meta } = problems.body('not_found', '')
    expect(meta.disclaimers).toEqual(disclaimers)
    const part = textOf(partOf(reply.body, fragmentOf(meta.documentation_url)))
    for (const disclaimer of disclaimers) expect(part).toContain(disclaimer)
  })

  it('has each id once, and every link within it leads somewhere', () => {
    const ids = attributes(reply.body, 'id')
    expect(new Set(ids).size).toBe(ids.length)
    const links = attributes(reply.body, 'href').filter((href) => href.startsWith('#'))
    expect(links.length).toBeGreaterThan(10)
    expect(links.filter((link) => !ids.includes(link.slice(1)))).toEqual([])
  })

  it('lists every endpoint, and the limits that are configured', () => {
    const text = textOf(partOf(reply.body, 'endpoints'))
    for (const { path, summary } of operations) expect(text).toContain(`/v1${path}${summary}`)
    const limits = textOf(partOf(reply.body, 'rate-limits'))
    for (const words of ['Insure11122', 'Studio21322', '"second";q=21;w=1, "minute";q=322;w=60']) {
      expect(limits.replaceAll(' ', '')).toContain(words.replaceAll(' ', ''))
    }
  })

  it('shows amounts of money as the API sends them, with two decimals', () => {
    expect(textOf(pageOf())).toMatch(/"purchase_price": \d+\.\d\d,/)
    expect(textOf(pageOf())).not.toMatch(/"(purchase_price|declared_value|cost)": \d+,/)
  })

  it('links each recipe to its folder in the source code of the release', async () => {
    const source = sourceOf({ version: '1.2.3', repository: { url: 'git+https://github.com/studio/inventory.git' } })
    const links = attributes(partOf(pageOf({ source }), 'connect'), 'href').filter((href) => href.startsWith('https:'))
    const folders = await readdir(join(import.meta.dirname, '../../integrations'))
    const published = 'https://github.com/studio/inventory/tree/v1.2.3/integrations/'
    expect(links.toSorted()).toEqual(folders.map((folder) => published + folder).toSorted())
    expect(textOf(partOf(reply.body, 'connect'))).toContain('in the folder integrations of the source code')
  })

  it('escapes the addresses that the operator chose', () => {
    const hostile = 'https://x.example/"><img src=x onerror=alert(1)>&\''
    const page = pageOf({ publicUrl: hostile, docsUrl: hostile, links: { home: hostile, docs: hostile } })
    expect(page).not.toContain('<img src=x')
    expect(textOf(page)).toContain(`below ${hostile}/v1 `)
  })

  it('leads to the other pages, and to the console where a token is created', async () => {
    const whole = await startApp({
      config: { docsUrl: 'https://api.example.com/docs' },
      console: express.Router(),
      graphql: { url: 'http://localhost:3001/graphql', ide: 'http://localhost:3001/' },
    })
    const { body } = await whole.get('/docs', { token: null })
    const header = /<header.*<\/header>/s.exec(body)?.[0] ?? ''
    expect(attributes(header, 'href')).toEqual(['/', '/docs', '/console', 'http://localhost:3001/'])
    expect(attributes(partOf(body, 'first-call'), 'href')).toContain('/console')
    expect(attributes(reply.body, 'href')).not.toContain('/console')
    await whole.close()
  })
})

const file = join(import.meta.dirname, '../../docs/api.md')
const sections = Object.values(syncSections())
const programs = Object.values(syncPrograms)

/** The sections of docs/api.md, with links to the programs. */
function written(): string {
  const words = sections.map(({ title, text }) => `## ${title}\n\n${text}\n`)
  const links = programs.map(({ name, file }) => `- [${name}](../src/docs/polling-programs/${file})`)
  const programsText = `### Programs\n
Each updates the file \`copy.json\` by the steps above. \`/docs\` shows them with the address of your service.\n
${links.join('\n')}\n`
  return [...words, programsText].join('\n')
}

/** The parameters of each list, besides those of all lists, with their values if they are few. */
function filterTable(): string {
  const common = Object.keys(listLocations.parameters)
  const rows = operations.flatMap(({ path, list, parameters }) => {
    const own = Object.entries(parameters).filter(([name]) => !common.includes(name))
    const filters = own.map(([name, { schema }]) => {
      const values = schema instanceof z.ZodEnum ? ` (${schema.options.map((value) => `\`${value}\``).join(', ')})` : ''
      return `\`${name}\`${values}`
    })
    return list === undefined ? [] : `| \`${path}\` | ${filters.join(', ')} |`
  })
  return ['| list | other parameters |', '|---|---|', ...rows, ''].join('\n')
}

it('docs/api.md has the filters, words and programs of the API (npm run generate writes them)', async () => {
  const page = await readFile(file, 'utf8')
  const parts = { 'src/api': filterTable(), 'src/docs/polling-programs': written() }
  const whole = Object.entries(parts).reduce((text, [folder, part]) => {
    const place = new RegExp(`(<!-- From ${folder}: .*?-->\n).*(<!-- End of the part from ${folder}. -->)`, 's')
    expect(text).toMatch(place)
    return text.replace(place, (_, start, end) => `${start}\n${part}\n${end}`)
  }, page)
  await expect(whole).toMatchFileSnapshot(file)
})

it('docs/api.md says of updated_since what the reference says', async () => {
  const page = (await readFile(file, 'utf8')).replace(/\s+/g, ' ')
  expect(page).toContain(`- \`updated_since\`: ${allParameters.updated_since?.description} -`)
})

it('the description and the page have the words', () => {
  const { info } = describedApi()
  for (const { title, text } of sections) expect(info.description).toContain(`## ${title}\n\n${text}`)
  const html = pageOf()
  for (const [id, section] of [
    ['paging', sections[0]],
    ['changes', sections[1]],
  ] as const) {
    const words = (section?.text ?? '').replace(/^(?:#{3}|-|\d\.) /gm, '').replaceAll(/\*\*|`/g, '')
    for (const paragraph of words.split(/\n+(?=\S)/)) {
      expect(textOf(partOf(html, id))).toContain(paragraph.replace(/\s+/g, ' ').trim())
    }
  }
})

it('Markdown becomes HTML, and what it is not is escaped', () => {
  expect(String(markdown('### A `b`\n\nOne\n**two**.\n\n- x\n  y\n- `<z>`\n\n1. q\n2. r', 'part'))).toBe(
    '<h3 id="part-a-b"><a class="anchor" href="#part-a-b">A <code>b</code></a></h3>\n<p>One\n<strong>two</strong>.</p>\n<ul>\n<li>x\ny</li>\n<li><code>&lt;z&gt;</code></li>\n</ul>\n' +
      '<ol>\n<li>q</li>\n<li>r</li>\n</ol>\n',
  )
})
