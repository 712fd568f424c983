import { UnreadableFile } from '../row-errors.ts'
import { damaged } from './archive.ts'
import type { Cell } from './cell.ts'
import { placeOf, type Row } from './sheet.ts'
import { parseAll } from './xml.ts'

/** Merged cells; rows and columns count from 1. Only the top left one has a value. */
type Merge = { top: number; left: number; bottom: number; right: number; first?: Cell | undefined }

const most = 100_000

/** Reads a sheet to its end before anything is made of it, so that a damaged or endless one is refused
 * first. @returns how many rows it has, and its merged cells, which it stores after the rows, in the
 * order of their first rows @throws UnreadableFile */
export async function scanSheet(part: () => AsyncIterable<Buffer>): Promise<{ rows: number; merges: Merge[] }> {
  let [before, isMerged, rows] = ['', false, 0]
  for await (const chunk of part()) {
    const text = before + chunk.toString('latin1')
    // Each letter of UTF-16 has a zero byte.
    isMerged ||= /m\0?e\0?r\0?g\0?e\0?C/.test(text)
    for (let at = text.indexOf('<row'); at >= 0; at = text.indexOf('<row', at + 4)) rows += 1
    before = text.slice(-12)
    // The next chunk begins with these characters, and counts the row.
    if (before.includes('<row')) rows -= 1
  }
  if (before.includes('<row')) rows += 1
  return { rows, merges: isMerged ? await mergesOf(part) : [] }
}

async function mergesOf(part: () => AsyncIterable<Buffer>): Promise<Merge[]> {
  const merges: Merge[] = []
  await parseAll(part(), {
    root: 'worksheet',
    open(name, attribute, parents) {
      if (name !== 'mergeCell' || parents.length !== 2) return
      const [first = '', last = first] = attribute('ref')?.split(':') ?? []
      const [{ column: left, row: top }, { column: right, row: bottom }] = [placeOf(first), placeOf(last)]
      if (right < left || bottom < top) throw damaged()
      if (merges.length >= most) throw new UnreadableFile(1, 'has too many merged cells', 'unmerge them')
      if (right > left || bottom > top) merges.push({ left, top, right, bottom })
    },
  })
  return merges.sort((a, b) => a.top - b.top)
}

/** Gives each cell that is merged down a column the value of the first one. A cell that is merged with
 * one in a column to its left is refused, because the value belongs to that column.
 * @param width of the header: ignores cells beyond it */
export function createMergeFiller(merges: readonly Merge[]): (row: Row, width: number) => void {
  let next = 0
  let open: Merge[] = []
  return ({ line, cells }, width) => {
    open = open.filter(({ bottom }) => bottom >= line)
    for (let merge = merges[next]; merge !== undefined && merge.top <= line; merge = merges[++next]) {
      const first = merge.top === line ? cells[merge.left - 1] : undefined
      if (first !== undefined && first.text.trim() !== '' && merge.left <= width) open.push({ ...merge, first })
    }
    for (const { top, left, right, first } of open) {
      if (line > top && first?.stored) cells[left - 1] = { ...first, stored: { ...first.stored, isMerged: true } }
      else if (line > top && first) cells[left - 1] = first
      for (let column = left + 1; column <= Math.min(right, width); column += 1) cells[column - 1] = merged
    }
  }
}

const merged: Cell = {
  text: '(merged)',
  stored: {
    fits: [],
    otherwise: { problem: 'is merged with the cell left of it', remedy: 'unmerge the cells and write each value' },
  },
}
