import { readFileSync } from 'node:fs'

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8').trimEnd()

/** A section of the guide, in Markdown without its heading. */
type Section = { title: string; text: string }

/** How to read lists and keep a copy: for /docs, the OpenAPI description and docs/api.md. */
export function syncSections(): { paging: Section; copy: Section } {
  const [, paging, copy] = read('words.md').split(/^## /m).map(sectionOf)
  if (paging === undefined || copy === undefined) throw new Error('words.md has two sections')
  return { paging, copy }
}

function sectionOf(markdown: string): Section {
  const [title = '', ...lines] = markdown.split('\n')
  return { title, text: lines.join('\n').trim() }
}

/** The programs that keep a copy, by their language. */
export const syncPrograms = {
  javascript: { name: 'JavaScript', lang: 'JavaScript', file: 'sync.js', source: () => read('sync.js') },
  python: { name: 'Python', lang: 'Python', file: 'sync.py', source: () => read('sync.py') },
  shell: { name: 'curl', lang: 'Shell', file: 'sync.sh', source: () => read('sync.sh') },
} as const

/** The program that walks through one list. */
export const walkProgram = { name: 'JavaScript', file: 'walk.js', source: () => read('walk.js') } as const

/** The API's address in the programs, which each service replaces with its own. */
const exampleApi = 'https://api.example.com/v1'

/** A program for the API at this address. */
export function programFor({ source }: { source(): string }, api: string): string {
  return source().replace(exampleApi, () => api)
}
