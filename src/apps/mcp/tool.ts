import type { z } from 'zod'
import type { Answer } from './answers.ts'
import type { Get } from './get.ts'

/** A tool: what it is called, takes and answers with. All of them only read. */
export type Tool = {
  name: string
  title: string
  /** For the model that chooses a tool. Markdown. */
  description: string
  input: z.ZodObject
  output: z.ZodObject
  /** @throws ToolFailure */
  run(given: unknown, get: Get): Promise<Answer>
}
