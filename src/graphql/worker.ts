import { parentPort, workerData } from 'node:worker_threads'
import { makeLogger } from '../log.ts'
import { type GraphqlOptions, openGraphql } from './listener.ts'

/** What the thread is given, and what it says. */
export type WorkerData = { options: GraphqlOptions; logLevel: string }
export type WorkerMessage = { listening: number } | { failed: string }

const { options, logLevel } = workerData as WorkerData
const say = (message: WorkerMessage) => parentPort?.postMessage(message)

try {
  const listener = await openGraphql(options, makeLogger({ level: logLevel }))
  parentPort?.once('message', () => {
    void listener.close().finally(() => process.exit(0))
  })
  say({ listening: listener.port })
} catch (error) {
  say({ failed: error instanceof Error ? error.message : String(error) })
}
