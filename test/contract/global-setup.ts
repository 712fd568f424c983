import type { TestProject } from 'vitest/node'
import { startPrism } from './prism.ts'
import { startReplay } from './replay.ts'
import { descriptionFile } from './tools.ts'

/** Where the witness of the test files leaves exchanges, and where it sends them. */
export type Witnessing = { replay: string; judging: string; passing: string }

declare module 'vitest' {
  interface ProvidedContext {
    witnessing: Witnessing
  }
}

/** Runs once before all files: two Prisms in front of the recorded answers, one that judges requests as well. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const replay = await startReplay()
  const judging = await startPrism(descriptionFile, replay.url, 'judged')
  const passing = await startPrism(descriptionFile, replay.url, 'passed')
  project.provide('witnessing', { replay: replay.url, judging: judging.url, passing: passing.url })
  return async () => {
    await Promise.all([judging.stop(), passing.stop(), replay.stop()])
  }
}
