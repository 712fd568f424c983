import { Overloaded } from './errors.ts'

/**
 * Admission control of a pool: how many statements may wait for a connection. Refusing at once costs next to nothing; an
 * unbounded queue would make requests wait until their clients have given up.
 */
export type Admission = {
  /**
   * Takes a slot in the queue, when one is needed.
   *
   * @throws Overloaded when all are taken
   */
  admit(): void
  /** Whether all slots are taken and many statements have just been refused. */
  isOverloaded(): boolean
  /** Counts statements that wait outside of the pool's queue: they share a batch, and take slots as well. */
  wait(more: number): void
  /** Whether it is overloaded. If so, one more is counted as refused. */
  shed(): boolean
  /** Statements that wait outside of the pool's queue, and how many were refused so far. */
  stats(): { waiting: number; refused: number }
}

/** This many refusals in a tenth of a second count as overload. */
const overload = 25
const tenthMs = 100

/**
 * @param maxWaiting slots of the queue
 * @param queued how many statements are in the pool's queue, less the connections that are idle
 */
export function createAdmission(maxWaiting: number, queued: () => number): Admission {
  let [outside, refused] = [0, 0]
  /** Refusals in this tenth of a second, and in the one before it. */
  let [since, recent, before] = [0, 0, 0]

  const isFull = () => queued() + outside >= maxWaiting

  function refuse(): void {
    const now = performance.now()
    const age = now - since
    if (age >= tenthMs) [before, recent, since] = [age < 2 * tenthMs ? recent : 0, 0, now]
    recent += 1
    refused += 1
  }

  function isOverloaded(): boolean {
    if (!isFull()) return false
    const age = performance.now() - since
    const many = age < tenthMs ? Math.max(recent, before) : age < 2 * tenthMs ? recent : 0
    return many >= overload
  }

  return {
    isOverloaded,
    admit() {
      if (!isFull()) return
      refuse()
      throw new Overloaded()
    },
    wait(more) {
      outside += more
    },
    shed() {
      if (!isOverloaded()) return false
      refuse()
      return true
    },
    stats: () => ({ waiting: outside, refused }),
  }
}
