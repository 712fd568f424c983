import { Counter, Gauge, type Registry } from 'prom-client'
import type { ReplicaState } from '../../database/replicas.ts'
import { prefix } from './state.ts'

type States = () => readonly ReplicaState[]

/** Replicas by their number in the configuration: metrics do not reveal host names. */
export function watchingReplicas(registry: Registry): (states: States) => void {
  return (states) => {
    const all = () => states().map((state, index) => ({ ...state, replica: index + 1 }))
    new Gauge({
      ...{ name: `${prefix}replica_in_use`, labelNames: ['replica'], registers: [registry] },
      help: 'Whether a replica is read from (1) or is left alone for some seconds after an error (0).',
      collect() {
        for (const { replica, inUse } of all()) this.set({ replica }, inUse ? 1 : 0)
      },
    })
    new Counter({
      ...{ name: `${prefix}replica_answers_total`, labelNames: ['replica', 'answer'], registers: [registry] },
      help: 'Statements by how the replica answered: current, behind (discarded, as its version differs), failed.',
      collect() {
        this.reset()
        for (const { replica, ...state } of all()) {
          for (const answer of ['current', 'behind', 'failed'] as const) this.inc({ replica, answer }, state[answer])
        }
      },
    })
  }
}
