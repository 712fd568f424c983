import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesOfDescription } from '../../scripts/integrations/files.ts'
import { gateMessage } from '../support/gate-message.ts'

const root = join(import.meta.dirname, '../..')

test.each(Object.entries(filesOfDescription()))('%s is what docs/openapi.yaml describes', async (file, text) => {
  const wrong = gateMessage({ wrong: `${file} is not what docs/openapi.yaml describes`, run: 'npm run generate' })
  expect(await readFile(join(root, file), 'utf8').catch(() => ''), wrong).toBe(text)
})
