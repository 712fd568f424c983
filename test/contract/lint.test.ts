import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { descriptionFile, type Run, runTool } from './tools.ts'

/** The linters, strict: a hint fails as an error does. What is off, and why, is in spectral.yaml and redocly.yaml. */
const linters = {
  Spectral: (file: string): Promise<Run> =>
    runTool('spectral', ['lint', '--ruleset', 'spectral.yaml', '--fail-severity', 'hint', file]),
  Redocly: (file: string): Promise<Run> => runTool('redocly', ['lint', '--config', 'redocly.yaml', file]),
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-contract-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** The description with one text replaced wherever it occurs. */
async function flawed(from: string | RegExp, to: string): Promise<string> {
  const text = await readFile(descriptionFile, 'utf8')
  const changed = text.replaceAll(from, to)
  expect(changed).not.toBe(text)
  const file = join(folder, 'openapi.yaml')
  await writeFile(file, changed)
  return file
}

describe.each(Object.entries(linters))('%s', (_, lint) => {
  test('finds nothing in the description', async () => {
    const { status, output } = await lint(descriptionFile)
    expect(status, output).toBe(0)
  })

  test.each([
    ['an operation without its id', /operationId: list_items/g, 'x-nothing: true', /operation-operationId/],
    ['an example that is not valid', /total: 250$/gm, 'total: many', /valid-media-example|invalid-media-type-examples/],
    ['a reference that leads nowhere', 'schemas/Paging"', 'schemas/Pages"', /invalid-ref|no-unresolved-refs/],
  ])('finds %s', async (_, from, to, rule) => {
    const { status, output } = await lint(await flawed(from, to))
    expect(status).not.toBe(0)
    expect(output).toMatch(rule)
  })
})

test.each([
  ['a text without a form', /^ +format: uuid\n/gm, '', 'owasp:api4:2023-string-restricted'],
  ['an answer without the fields of the rate limit', /^ +RateLimit:\n.*\n/gm, '', 'owasp:api4:2023-rate-limit'],
  ['an address without encryption', 'url: https://', 'url: http://', 'owasp:api8:2023-no-server-http'],
  ['an operation without security', /^security:\n.*\n/gm, '', 'owasp:api2'],
])('Spectral finds %s', async (_, from, to, rule) => {
  expect((await linters.Spectral(await flawed(from, to))).output).toContain(rule)
})
