import { parentPort, workerData } from 'node:worker_threads'
import { type Asker, flood } from './load.ts'

/** A flood from a thread of its own: the proxy to the database runs in the other, and must not be late because of it. */
export type FloodData = { port: number; asker: Asker; perSecond: number; seconds: number }

const { port, asker, perSecond, seconds } = workerData as FloodData
const outcomes = await flood(port, asker, perSecond, seconds)
parentPort?.postMessage(outcomes.map((outcome) => ({ ...outcome, text: '' })))
