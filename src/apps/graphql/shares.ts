/** The person would have too many requests waiting, or waited too long. */
export class Busy extends Error {
  override name = 'Busy'
}

/** Nobody waits for the turn any more. */
export class Abandoned extends Error {
  override name = 'Abandoned'
}

export type Shares = {
  /**
   * Waits for a turn. One person has at most half of the turns, so that others always find one; those who wait come one after the
   * other, a person at a time.
   *
   * @param left aborts when the client leaves: whoever waits gives up their place
   * @returns what ends the turn
   * @throws Busy; Abandoned
   */
  enter(person: string, left?: AbortSignal): Promise<() => void>
}

export type ShareOptions = {
  /** How many requests run at a time. */
  turns: number
  /** How many requests of one person may wait. */
  maxWaiting: number
  /** For how long, in milliseconds. */
  waitMs: number
}

type Person = { running: number; waiting: (() => void)[] }

/** Shares a number of turns between persons. */
export function createShares({ turns, maxWaiting, waitMs }: ShareOptions): Shares {
  const perPerson = Math.max(1, Math.floor(turns / 2))
  const persons = new Map<string, Person>()
  let running = 0

  /** Gives free turns to those who wait; whoever got one goes to the end of the line. */
  function pass(): void {
    for (const [name, person] of [...persons]) {
      if (running >= turns) return
      if (person.waiting.length === 0 || person.running >= perPerson) continue
      persons.delete(name)
      persons.set(name, person)
      person.waiting.shift()?.()
      // From the beginning: one person may have two turns coming.
      pass()
      return
    }
  }

  return {
    async enter(name, left) {
      if (left?.aborted) throw new Abandoned('the client has left')
      const person = persons.get(name) ?? { running: 0, waiting: [] }
      persons.set(name, person)
      const begin = () => {
        running += 1
        person.running += 1
      }
      let ended = false
      const end = () => {
        if (ended) return
        ended = true
        running -= 1
        person.running -= 1
        if (person.running === 0 && person.waiting.length === 0) persons.delete(name)
        pass()
      }
      if (running < turns && person.running < perPerson && person.waiting.length === 0) {
        begin()
        return end
      }
      if (person.waiting.length >= maxWaiting) throw new Busy('too many requests of one person are waiting')
      await new Promise<void>((resolve, reject) => {
        const giveUp = (why: Error) => {
          stopWaiting()
          person.waiting.splice(person.waiting.indexOf(start), 1)
          if (person.running === 0 && person.waiting.length === 0) persons.delete(name)
          reject(why)
        }
        const leave = () => giveUp(new Abandoned('the client has left'))
        const timer = setTimeout(() => giveUp(new Busy('a request has waited for too long')), waitMs)
        left?.addEventListener('abort', leave, { once: true })
        const stopWaiting = () => {
          clearTimeout(timer)
          left?.removeEventListener('abort', leave)
        }
        const start = () => {
          stopWaiting()
          begin()
          resolve()
        }
        person.waiting.push(start)
      })
      return end
    },
  }
}
