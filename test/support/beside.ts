import { onTestFinished } from 'vitest'

/**
 * Does `step` again and again while `work` is under way, and no longer than the test lasts: what goes on after its test has
 * timed out disturbs the tests after it. Returns the result of `work`.
 */
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
