import { onTestFinished } from 'vitest'

/** Does `step` again and again while `work` runs, but not after the test has ended. */
export async function beside<Result>(step: () => Promise<unknown>, work: () => Promise<Result>): Promise<Result> {
  let going = true
  const stop = () => {
    going = false
  }
  onTestFinished(stop)
  const repeat = async () => {
    while (going) await step()
  }
  const [result] = await Promise.all([work().finally(stop), repeat()])
  return result
}
