import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { create, type Font } from 'fontkit'

/** Noto Sans: Latin, Greek and Cyrillic with all their accents, under the SIL Open Font License. Only used glyphs are embedded. */
const fileOf = (weight: string) => createRequire(import.meta.url).resolve(`@expo-google-fonts/noto-sans/${weight}`)

export const fontFiles = {
  regular: fileOf('400Regular/NotoSans_400Regular.ttf'),
  bold: fileOf('600SemiBold/NotoSans_600SemiBold.ttf'),
} as const

export type Weight = keyof typeof fontFiles

/** Stands for a character that the font does not have, as in CJK, Arabic or emoji. */
export const placeholder = '\uFFFD'

/** Text as the font can show it, composed; `lost` says whether a placeholder replaces something. */
export type Printable = (text: string) => { text: string; lost: boolean }

export function createPrintable(): Printable {
  const font = create(readFileSync(fontFiles.regular)) as Font
  const known = new Map<string, boolean>()
  const has = (char: string) => {
    const answer = known.get(char) ?? font.hasGlyphForCodePoint(char.codePointAt(0) ?? 0)
    known.set(char, answer)
    return answer
  }
  return (text) => {
    const composed = text
      .normalize('NFC')
      .replace(/\s+/g, ' ')
      .replace(/\p{Cc}|\p{Cf}/gu, '')
      .trim()
    let lost = false
    let result = ''
    for (const char of composed) {
      const shown = has(char)
      lost ||= !shown
      result += shown ? char : placeholder
    }
    return { text: result, lost }
  }
}
