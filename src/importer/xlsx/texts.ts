import { UnreadableFile } from '../row-errors.ts'
import { limits } from './archive.ts'
import { parseAll } from './xml.ts'

/** The parts of a text: itself, its runs, and its pronunciation, which is not shown. */
export const textElements = {
  si: ['t', 'r', 'rPh', 'phoneticPr', 'extLst'],
  is: ['t', 'r', 'rPh', 'phoneticPr', 'extLst'],
  r: ['rPr', 't'],
}

/** Whether a text between these elements is shown. */
export const isShown = (parents: readonly string[]): boolean =>
  parents.at(-1) === 't' && /^(?:si|is|r)$/.test(parents.at(-2) ?? '')

/** Reads the shared texts. @throws UnreadableFile when they are damaged or too large */
export async function readTexts(part: AsyncIterable<Buffer>): Promise<string[]> {
  const texts: string[] = []
  let [current, size] = ['', 0]
  await parseAll(part, {
    root: 'sst',
    children: { sst: ['si', 'extLst'], ...textElements },
    text(text, parents) {
      if (isShown(parents)) current += text
    },
    close(name, parents) {
      if (name !== 'si' || parents.length !== 1) return
      // Each text takes about this much memory beyond its characters.
      size += current.length + 16
      if (size > limits.texts) {
        throw new UnreadableFile(1, 'is too large: its texts do not fit in memory', 'save its rows in several files')
      }
      texts.push(current)
      current = ''
    },
  })
  return texts
}
