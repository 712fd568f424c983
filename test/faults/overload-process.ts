import { type Caller, overload } from './load.ts'

/** Sends overload from a process of its own, so that it does not delay the proxy to the database in the test's process. */
export type OverloadData = { port: number; caller: Caller; perSecond: number; seconds: number }

process.once('message', async ({ port, caller, perSecond, seconds }: OverloadData) => {
  const outcomes = await overload(port, caller, perSecond, seconds)
  process.send?.(
    outcomes.map((outcome) => ({ ...outcome, text: '' })),
    () => process.disconnect(),
  )
})
