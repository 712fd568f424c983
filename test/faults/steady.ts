import { Agent } from 'node:http'
import { onTestFinished } from 'vitest'
import { type Caller, type Outcome, pause, send } from './load.ts'

export type Load = {
  outcomes: Outcome[]
  /** Lets the requests under way end. */
  stop(): Promise<Outcome[]>
}

/** Keeps `connections` busy until somebody stops it. Waits for a moment after a failure. */
export function startLoad(
  port: number,
  callers: readonly Caller[],
  connections: number,
  look: (outcome: Outcome, caller: Caller) => void = () => undefined,
): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const outcomes: Outcome[] = []
  let going = true
  onTestFinished(() => {
    going = false
  })
  async function client(index: number): Promise<void> {
    const caller = callers[index % callers.length] as Caller
    while (going) {
      const outcome = await send(port, caller, agent)
      look(outcome, caller)
      outcomes.push({ ...outcome, text: '' })
      if (outcome.result !== 200) await pause(50)
    }
  }
  const clients = Array.from({ length: connections }, (_, index) => client(index))
  return {
    outcomes,
    async stop() {
      going = false
      await Promise.all(clients)
      agent.destroy()
      return outcomes
    },
  }
}
