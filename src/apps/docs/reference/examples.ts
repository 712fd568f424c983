import type { Operation } from '../../../api/operation.ts'
import { operations } from '../../../api/operations.ts'
import { answersOf, problemExamples } from '../openapi/examples.ts'
import type { Addresses } from '../openapi/options.ts'

/** An example of an operation: its request, below `/v1`, and what the demo answers to it. */
export type Example = { request: string; answer: unknown }

/** The first example of the operation that lists items: the first call. */
export function firstCall(addresses: Addresses): Example {
  const operation = operations.find(({ id }) => id === 'list_items') as Operation
  const [[name, { request }] = ['', { request: '' }]] = Object.entries(operation.examples)
  return { request, answer: answersOf(operation, addresses)[name]?.value }
}

/** A problem, as the service writes it. */
export function exampleProblem(addresses: Addresses): string {
  return JSON.stringify(problemExamples(['invalid_parameter'], addresses).invalid_parameter?.value, null, 2)
}
