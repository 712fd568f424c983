import { glob, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { gateMessage } from '../support/gate-message.ts'

const root = join(import.meta.dirname, '../..')

const exported =
  /^export (?:async )?(?:function\*?|const|let|class|type|interface|enum) (?:(\w+)|[[{]([^\]}=]*)[\]}])/gm
const imported = /^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm
const loaded = /(?:import\(|mock\(|from |source\()\s*'(\.[^']+)'/g

/** The names in braces, without `type` and without the new name after `as` or a colon. */
const namesIn = (list: string) => list.split(',').map((name) => name.trim().replace(/^type |\s+as .*$|:.*$/g, ''))

/** The names that files import from each file of src/. A file that loads another one without naming
 * what it takes, as with \`await import(…)\`, counts for each word in it. */
async function importsBySource(): Promise<Map<string, Set<string>>> {
  const names = new Map<string, Set<string>>()
  const add = (file: string, path: string, found: Iterable<string>) => {
    const source = relative(root, join(dirname(file), path))
    const known = names.get(source) ?? new Set()
    for (const name of found) known.add(name)
    names.set(source, known)
  }
  for await (const file of glob(['src/**/*.{ts,js}', 'test/**/*.{ts,mjs}', 'scripts/**/*.ts'], { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8')
    for (const [, list = '', path = ''] of text.matchAll(imported)) add(join(root, file), path, namesIn(list))
    for (const [, path = ''] of text.replace(imported, '').matchAll(loaded)) {
      add(join(root, file), path, text.match(/\w+/g) ?? [])
    }
  }
  return names
}

it('something imports each name that a file of src/ exports', async () => {
  const used = await importsBySource()
  const unused: string[] = []
  for await (const file of glob('src/**/*.ts', { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8')
    for (const [, name, list] of text.matchAll(exported)) {
      for (const each of name === undefined ? namesIn(list ?? '') : [name]) {
        if (each !== '' && !used.get(file)?.has(each)) unused.push(`${file} exports ${each}`)
      }
    }
  }
  const wrong = gateMessage({
    wrong: 'files export names that nothing imports',
    edit: 'the files named below: remove `export`, or the name if its own file does not use it either',
    run: 'npx vitest run test/gates/exports.test.ts',
  })
  expect(unused.toSorted(), wrong).toEqual([])
})
