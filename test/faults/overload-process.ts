import { type Caller, overload } from './load.ts'

/** Sends overload from its own process, so that it does not delay the test's proxy. */
export type OverloadData = { port: number; caller: Caller; perSecond: number; seconds: number }

process.once('message', async ({ port, caller, perSecond, seconds }: OverloadData) => {
  const outcomes = await overload(port, caller, perSecond, seconds)
  process.send?.(
    outcomes.map((outcome) => ({ ...outcome, text: '' })),
    () => process.disconnect(),
  )
})
