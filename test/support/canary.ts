import { gateMessage } from './gate-message.ts'

/** Every text of studio B has this word. */
export const canary = 'Zq7canary'

/** In everything that is kept but never shown, of either studio: notes, external keys, an
 * unrecognised policy type. */
export const unseen = 'Kx9unseen'

/** Writes what a studio owns so that the test can tell it from everything else. */
export type Hand = {
  text(words: string): string
  /** Kept, but never shown to anybody. */
  hidden(words: string): string
  /** An amount. The other hand's amount is larger by some 8 million, and unlike every other. */
  money(amount: number): string
  /** A day. The other hand's day is a century earlier, and unlike every other. */
  day(day: string): string
}

/** Studio A writes plain texts. */
export const plainHand: Hand = {
  text: (words) => words,
  hidden: (words) => `${unseen} ${words}`,
  money: (amount) => amount.toFixed(2),
  day: (day) => day,
}

/** Studio B adds everything that it writes to `marks`. */
export function markedHand(marks: Set<string>): Hand {
  const mark = (value: string) => {
    if (marks.has(value)) throw new Error(`${value} is not unlike every other`)
    marks.add(value)
    return value
  }
  let count = 0
  return {
    text: (words) => `${canary} ${words}`,
    hidden: (words) => `${unseen} ${canary} ${words}`,
    money: (amount) => {
      count += 1
      return mark((8_000_000.13 + amount + count + count / 100).toFixed(2))
    },
    day: (day) => {
      count += 1
      const earlier = new Date(`${day}T00:00:00Z`)
      earlier.setUTCFullYear(earlier.getUTCFullYear() - 100, earlier.getUTCMonth(), earlier.getUTCDate() + count)
      return mark(earlier.toISOString().slice(0, 10))
    },
  }
}

const whereMarksAreMade = 'what lets it out; or test/support/cast-inventory.ts, where this may be shown from now on'

/** Throws when bytes contain one of the marks, as they are or in base64 or hexadecimal. */
export function expectNoMark(bytes: string | Uint8Array, marks: Iterable<string>): void {
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')
  for (const mark of marks) {
    for (const form of formsOf(mark)) {
      const at = text.indexOf(form)
      if (at < 0) continue
      const wrong = `found ${mark}: …${text.slice(Math.max(0, at - 80), at + form.length + 80)}…`
      throw new Error(gateMessage({ wrong, edit: whereMarksAreMade, run: 'npx vitest run test/isolation test/rest' }))
    }
  }
}

/** A text, its hexadecimal digits, and what stays of it in base64 wherever it begins. */
function formsOf(mark: string): string[] {
  const shifted = [0, 1, 2].map((lead) => {
    const encoded = Buffer.from(' '.repeat(lead) + mark).toString('base64url')
    // The first and last characters are made of neighbouring bytes too.
    return encoded.slice(lead === 0 ? 0 : lead + 1, Math.floor(((lead + Buffer.byteLength(mark)) * 8) / 6))
  })
  return [mark, Buffer.from(mark).toString('hex'), ...shifted.filter((form) => form.length >= 8)]
}
