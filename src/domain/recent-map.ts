/**
 * A map that forgets: the first look-up after one to two periods finds nothing that was not looked up in them, and it never has more than
 * twice as many entries as it may. Unlike a cache with a time for each entry, a look-up costs no more than one in a Map.
 */
export class RecentMap<Key, Value> {
  readonly #periodMs: number
  readonly #most: number
  readonly #now: () => number
  #endsAt: number
  #current = new Map<Key, Value>()
  #before = new Map<Key, Value>()

  /**
   * @param periodMs how long a period is, in milliseconds
   * @param most after how many entries one ends early
   */
  constructor(periodMs: number, most: number, now: () => number = Date.now) {
    this.#periodMs = periodMs
    this.#most = most
    this.#now = now
    this.#endsAt = now() + periodMs
  }

  get(key: Key): Value | undefined {
    const now = this.#now()
    if (now >= this.#endsAt || now < this.#endsAt - this.#periodMs) this.#turn(now)
    const known = this.#current.get(key)
    if (known !== undefined) return known
    const older = this.#before.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: Key, value: Value): void {
    if (this.#current.size >= this.#most && !this.#current.has(key)) this.#turn(this.#now())
    this.#current.set(key, value)
  }

  #turn(now: number): void {
    // Nothing of before the last period, when there was no look-up for longer than one.
    this.#before = now < this.#endsAt + this.#periodMs ? this.#current : new Map()
    this.#current = new Map()
    this.#endsAt = now + this.#periodMs
  }
}
