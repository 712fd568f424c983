import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allParameters } from '../../src/api/operations.ts'
import { markdown } from '../../src/docs/reference/parts.ts'
import { syncPrograms, syncSections } from '../../src/docs/sync/programs.ts'
import { describedApi } from '../openapi/described.ts'
import { partOf, textOf } from './document.ts'
import { pageOf } from './support.ts'

const file = join(import.meta.dirname, '../../docs/api.md')
const sections = Object.values(syncSections())
const programs = Object.values(syncPrograms)

/** The sections and the programs as docs/api.md has them. */
function written(): string {
  const words = sections.map(({ title, text }) => `## ${title}\n\n${text}\n`)
  const code = programs.map(
    ({ name, file, source }) => `<details><summary>${name}</summary>\n
\`\`\`${file.split('.')[1]}\n${source()}\n\`\`\`\n
</details>\n`,
  )
  return [
    ...words,
    '### Programs\n\nEach updates the file `copy.json` when it is run, by the steps above.\n',
    ...code,
  ].join('\n')
}

it('docs/api.md has the words and the programs of /docs (npm run generate writes them)', async () => {
  const page = await readFile(file, 'utf8')
  const place = /(<!-- From src\/docs\/sync: .*-->\n).*(<!-- End of the part from src\/docs\/sync. -->)/s
  expect(page).toMatch(place)
  await expect(page.replace(place, (_, start, end) => `${start}\n${written()}\n${end}`)).toMatchFileSnapshot(file)
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
