import { Counter, type Registry } from 'prom-client'
import { type PartialAnswers, parts } from '../../database/partial-answers.ts'
import { prefix } from './state.ts'

/** Answers that lacked what could not be read, summed over the pools. */
export function countingPartialAnswers(registry: Registry): (counts: Readonly<PartialAnswers>) => void {
  const sources: Readonly<PartialAnswers>[] = []
  new Counter({
    ...{ name: `${prefix}partial_answers_total`, labelNames: ['part'] as const, registers: [registry] },
    help: 'Answers with 200 that lacked what could not be read; item: read in parts, perhaps whole.',
    collect() {
      this.reset()
      for (const part of parts)
        this.inc(
          { part },
          sources.reduce((sum, counts) => sum + counts[part], 0),
        )
    },
  })
  return (counts) => void sources.push(counts)
}
