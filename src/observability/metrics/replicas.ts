import { Counter, Gauge, type Registry } from 'prom-client'
import type { ReplicaState } from '../../database/replicas.ts'
import { inCell, prefix } from './names.ts'

type States = () => readonly ReplicaState[]

/** Replicas by their number in the configuration: metrics do not reveal host names. */
export function watchingReplicas(registry: Registry): (states: States, cell?: string) => void {
  const cells: { states: States; cell: string | undefined }[] = []
  const all = () =>
    cells.flatMap(({ states, cell }) =>
      states().map((state, index) => ({ ...state, labels: { replica: index + 1, ...inCell(cell) } })),
    )
  const register = () => {
    new Gauge({
      ...{ name: `${prefix}replica_in_use`, labelNames: ['replica', 'cell'], registers: [registry] },
      help: 'Whether a replica is read from (1), or is left alone for some seconds after an error (0).',
      collect() {
        for (const { labels, inUse } of all()) this.set(labels, inUse ? 1 : 0)
      },
    })
    new Counter({
      ...{ name: `${prefix}replica_answers_total`, labelNames: ['replica', 'answer', 'cell'], registers: [registry] },
      help: 'Statements by how the replica answered: current, behind (discarded, as its version differs), failed.',
      collect() {
        this.reset()
        for (const { labels, ...state } of all()) {
          for (const answer of ['current', 'behind', 'failed'] as const) this.inc({ ...labels, answer }, state[answer])
        }
      },
    })
  }
  return (states, cell) => {
    if (cells.length === 0) register()
    cells.push({ states, cell })
  }
}
