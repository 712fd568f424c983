import { expect, test } from 'vitest'
import { descriptionFile, runTool } from './tools.ts'

/** The linters are strict: a hint fails as an error does. spectral.yaml and redocly.yaml say which
 * rules are off, and why. */
test.each([
  ['spectral', 'lint', '--ruleset', 'spectral.yaml', '--fail-severity', 'hint'],
  ['redocly', 'lint', '--config', 'redocly.yaml'],
])('%s finds nothing in the description', async (tool, ...args) => {
  const { status, output } = await runTool(tool, [...args, descriptionFile])
  expect(status, output).toBe(0)
})
