import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listItems } from '../../../api/items.ts'
import type { Operation } from '../../../api/operation.ts'
import { readParameters } from '../../../api/parameters.ts'
import { createProblems, type ProblemCode } from '../../../http/problems.ts'
import type { Addresses } from './options.ts'

/** Where the demo answered the requests of the examples; a copy of the description shows its own address instead. */
export const exampleAddresses: Addresses = {
  publicUrl: 'https://api.studio-inventory.example',
  docsUrl: 'https://api.studio-inventory.example/docs',
}

export type Examples = Record<string, { summary: string; value: unknown }>

const folder = join(import.meta.dirname, '../../../api/examples')

/** The file with the demo's answers to an operation's examples: an object of bodies by the example's name. */
export function exampleFile({ id }: Operation): string {
  return join(folder, `${id}.json`)
}

/** The demo's answers to an operation's examples, as the service at these addresses would give them. */
export function answersOf(operation: Operation, { publicUrl, docsUrl }: Addresses): Examples {
  const here = (_key: string, value: unknown) =>
    typeof value === 'string'
      ? value
          .replaceAll(exampleAddresses.docsUrl, () => docsUrl)
          .replaceAll(exampleAddresses.publicUrl, () => publicUrl)
      : value
  const bodies: Record<string, unknown> = JSON.parse(readFileSync(exampleFile(operation), 'utf8'), here)
  const named = Object.entries(operation.examples).map(([name, { summary }]) => [
    name,
    { summary, value: bodies[name] },
  ])
  return Object.fromEntries(named)
}

const requestId = '6f1c2f0e-9a54-4d7e-8b0c-3f5f0d3b7a11'
const wrong = 'per_page=0&coverage_state=covered&updated_since=yesterday'

/** The bodies of problems, as the service at these addresses writes them. */
export function problemExamples(codes: readonly ProblemCode[], { docsUrl }: Addresses): Examples {
  const problems = createProblems(docsUrl)
  const named = codes.map((code) => {
    const errors = code === 'invalid_parameter' ? readParameters(listItems.parameters, wrong).errors : undefined
    const value: { title: string } = JSON.parse(problems.body(code, requestId, errors))
    return [code, { summary: value.title, value }]
  })
  return Object.fromEntries(named)
}
