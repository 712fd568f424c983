import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { allParameters, operations } from '../../src/api/operations.ts'
import { syncPrograms, syncSections } from '../../src/docs/polling-programs/programs.ts'
import { markdown } from '../../src/docs/reference/parts.ts'
import { describedApi } from '../openapi/described.ts'
import { partOf, textOf } from './document.ts'
import { pageOf } from './support.ts'

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

/** The filters of each list, besides those of all lists, with their values if they are few. */
function filterTable(): string {
  const rows = operations.flatMap(({ path, list }) => {
    const filters = Object.entries(list?.filters ?? {}).map(([name, { schema }]) => {
      const values = schema instanceof z.ZodEnum ? ` (${schema.options.map((value) => `\`${value}\``).join(', ')})` : ''
      return `\`${name}\`${values}`
    })
    return list === undefined ? [] : `| \`${path}\` | ${filters.join(', ')} |`
  })
  return ['| list | other filters |', '|---|---|', ...rows, ''].join('\n')
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

it('the description has the words', () => {
  const { info } = describedApi()
  for (const { title, text } of sections) expect(info.description).toContain(`## ${title}\n\n${text}`)
})

it('the page has the words', () => {
  const page = pageOf()
  for (const [id, section] of [
    ['paging', sections[0]],
    ['changes', sections[1]],
  ] as const) {
    const words = (section?.text ?? '').replace(/^(?:#{3}|-|\d\.) /gm, '').replaceAll(/\*\*|`/g, '')
    for (const paragraph of words.split(/\n+(?=\S)/)) {
      expect(textOf(partOf(page, id))).toContain(paragraph.replace(/\s+/g, ' ').trim())
    }
  }
})

it('Markdown becomes HTML, and what it is not is escaped', () => {
  expect(String(markdown('### A `b`\n\nOne\n**two**.\n\n- x\n  y\n- `<z>`\n\n1. q\n2. r', 'part'))).toBe(
    '<h3 id="part-a-b"><a class="anchor" href="#part-a-b">A <code>b</code></a></h3>\n<p>One\n<strong>two</strong>.</p>\n<ul>\n<li>x\ny</li>\n<li><code>&lt;z&gt;</code></li>\n</ul>\n' +
      '<ol>\n<li>q</li>\n<li>r</li>\n</ol>\n',
  )
})
