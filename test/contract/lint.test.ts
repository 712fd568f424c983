import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { useFolder } from '../support/folder.ts'
import { descriptionFile, type Run, runTool } from './tools.ts'

/** The linters are strict: a hint fails as an error does. spectral.yaml and redocly.yaml say which
 * rules are off, and why. */
const linters = {
  Spectral: (file: string): Promise<Run> =>
    runTool('spectral', ['lint', '--ruleset', 'spectral.yaml', '--fail-severity', 'hint', file]),
  Redocly: (file: string): Promise<Run> => runTool('redocly', ['lint', '--config', 'redocly.yaml', file]),
}

const folder = useFolder()

describe.each(Object.entries(linters))('%s', (name, lint) => {
  test('finds nothing in the description', async () => {
    const { status, output } = await lint(descriptionFile)
    expect(status, output).toBe(0)
  })

  test('finds what is wrong: an operation without its id, and an example that is not valid', async () => {
    let text = await readFile(descriptionFile, 'utf8')
    const flaws: [RegExp, string][] = [
      [/operationId: list_items/, 'x-nothing: true'],
      [/total: 250$/gm, 'total: many'],
      [/^ +format: uuid\n/gm, ''],
    ]
    for (const [from, to] of flaws) {
      expect(text).toMatch(from)
      text = text.replace(from, to)
    }
    const { status, output } = await lint(await folder.file('openapi.yaml', text))
    expect(status).not.toBe(0)
    expect(output).toMatch(/operation-operationId/)
    expect(output).toMatch(/valid-media-example|invalid-media-type-examples/)
    if (name === 'Spectral') expect(output).toContain('owasp:api4:2023-string-restricted')
  })
})
