import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collectionFiles, olderFiles } from '../../scripts/integrations/files.ts'
import { gateMessage } from '../support/gate-message.ts'

const root = join(import.meta.dirname, '../..')
const files = { ...collectionFiles(), ...olderFiles() }

test.each(Object.entries(files))('%s is what docs/openapi.yaml describes', async (file, text) => {
  const wrong = gateMessage({ wrong: `${file} is not what docs/openapi.yaml describes`, run: 'npm run generate' })
  expect(await readFile(join(root, file), 'utf8').catch(() => ''), wrong).toBe(text)
})

test('the collection of Bruno has no other files', async () => {
  const folder = 'integrations/bruno/collection'
  const there = (await readdir(join(root, folder), { recursive: true })).filter((name) => /\.(bru|json)$/.test(name))
  const made = Object.keys(files).filter((file) => file.startsWith(folder))
  expect(there.map((name) => `${folder}/${name}`).toSorted()).toEqual(made.toSorted())
})
