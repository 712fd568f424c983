import fc from 'fast-check'
import { expect, it } from 'vitest'
import { breakLines, ellipsis } from '../../src/report/pdf/canvas.ts'

/** A font in which every character is one wide. */
const widthOf = (text: string) => [...text].length

it('for any text, no line is wider than its box, and a cut is marked', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-', '/', 'ß', '🎛'), maxLength: 80 }),
      fc.integer({ min: 2, max: 20 }),
      fc.integer({ min: 1, max: 4 }),
      (raw, width, most) => {
        const text = raw.replace(/ +/g, ' ').trim()
        const { lines, cut } = breakLines(text, width, most, widthOf)
        expect(lines.length).toBeLessThanOrEqual(most)
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
        const shown = lines.join('').replaceAll(' ', '')
        if (cut) expect(lines.at(-1)?.endsWith(ellipsis)).toBe(true)
        else expect(shown).toBe(text.replaceAll(' ', ''))
        expect(text.replaceAll(' ', '').startsWith(cut ? shown.slice(0, -1) : shown)).toBe(true)
      },
    ),
  )
})
