import { parentPort, workerData } from 'node:worker_threads'
import { type Caller, overload } from './load.ts'

/** Sends overload from a thread of its own, so that it does not delay the proxy to the database in the main thread. */
export type OverloadData = { port: number; caller: Caller; perSecond: number; seconds: number }

const { port, caller, perSecond, seconds } = workerData as OverloadData
const outcomes = await overload(port, caller, perSecond, seconds)
parentPort?.postMessage(outcomes.map((outcome) => ({ ...outcome, text: '' })))
