import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { variableNames } from '../../src/config/config.ts'

it('docs/configuration.md lists every variable that the service reads, and no other', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8')
  const listed = [...page.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map((match) => match[1])
  expect(listed.toSorted()).toEqual(variableNames().toSorted())
})
