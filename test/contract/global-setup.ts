import type { TestProject } from 'vitest/node'
import { startPrism } from './prism.ts'
import { startReplay } from './replay.ts'
import { writeStrictDescription } from './strict-file.ts'

/** Where the test files store recorded exchanges, and the proxies that they are replayed through. */
export type ContractProxies = { replay: string; validating: string; passing: string }

declare module 'vitest' {
  interface ProvidedContext {
    witnessing: ContractProxies
  }
}

/** Runs once before all files: two Prisms in front of the recorded answers, one of which validates requests as well. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const replay = await startReplay()
  const description = await writeStrictDescription()
  const validating = await startPrism(description.file, replay.url, 'validated')
  const passing = await startPrism(description.file, replay.url, 'passed')
  project.provide('witnessing', { replay: replay.url, validating: validating.url, passing: passing.url })
  return async () => {
    await Promise.all([validating.stop(), passing.stop(), replay.stop(), description.remove()])
  }
}
