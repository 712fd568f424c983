import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { variableNames } from '../../src/config/config.ts'
import { gateMessage } from '../support/gate-message.ts'

const root = join(import.meta.dirname, '../..')
const documents = new Map<string, string>()
const tools = (await readdir(join(root, 'integrations'))).map((tool) => join('integrations', tool))
for (const folder of ['', 'docs', 'sql', '.github', ...tools]) {
  for (const file of await readdir(join(root, folder))) {
    if (file.endsWith('.md')) documents.set(join(folder, file), await readFile(join(root, folder, file), 'utf8'))
  }
}

const amiss = (wrong: string, edit: string) =>
  gateMessage({ wrong, edit, run: 'npx vitest run test/gates/documents.test.ts' })

/** Without blocks of code, in which `#` begins a comment and brackets are no links. */
const proseOf = (text: string) => text.replace(/^```.*?^```/gms, '').replace(/^<!-- .*? -->$/gms, '')

/** The anchors of a document, as hosting services make them of its headings. */
function anchorsOf(text: string): string[] {
  return [...proseOf(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Targets of the links in a document that lead to files of the repository, or within it. */
function linksOf(text: string): string[] {
  return [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target))
}

it('docs/configuration.md lists every variable that the service reads, and no other', () => {
  const page = documents.get('docs/configuration.md') ?? ''
  const listed = [...page.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map((match) => match[1])
  const wrong = amiss('the tables of variables are not those that src/config/ reads', 'docs/configuration.md')
  expect(listed.toSorted(), wrong).toEqual(variableNames().toSorted())
})

it('every link between documents leads to a file that is there, and to a heading in it', async () => {
  const dead: string[] = []
  let looked = 0
  for (const [document, text] of documents) {
    for (const link of linksOf(text)) {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? document : join(dirname(document), path)
      const content = await readFile(join(root, target), 'utf8').catch((error: NodeJS.ErrnoException) =>
        error.code === 'EISDIR' ? '' : null,
      )
      looked += 1
      if (content === null) dead.push(`${document}: ${link}`)
      else if (anchor !== undefined && !anchorsOf(content).includes(anchor)) dead.push(`${document}: ${link}`)
    }
  }
  expect(dead, amiss('links lead nowhere', 'each document that is named below')).toEqual([])
  expect(looked).toBeGreaterThan(100)
})

it('docs/README.md leads to every document of its folder', () => {
  const listed = linksOf(documents.get('docs/README.md') ?? '').map((link) => join('docs', link.split('#')[0] ?? ''))
  const all = [...documents.keys()].filter((name) => dirname(name) === 'docs' && name !== 'docs/README.md')
  const edit = 'docs/README.md: a link, in the row of its readers'
  const absent = all.filter((name) => !listed.includes(name))
  expect(absent, amiss('documents are not in the table of docs/README.md', edit)).toEqual([])
})

it.each(['README.md', 'docs/README.md'])('%s leads to every recipe of integrations/', (name) => {
  const listed = linksOf(documents.get(name) ?? '').map((link) => join(dirname(name), link.split('#')[0] ?? ''))
  const wrong = amiss('recipes are not in the table of tools', `${name}: a link in the row of their tools`)
  const absent = tools.map((tool) => join(tool, 'README.md')).filter((recipe) => !listed.includes(recipe))
  expect(absent, wrong).toEqual([])
})
