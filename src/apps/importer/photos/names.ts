/** How a file's name says what it shows: an item by its external key, and the place among the item's photos. */
export type PhotoName = {
  /** The whole name without its ending: the key of an item whose first photo it is … */
  whole: string
  /** … or, when no item has that key, the key before the last hyphen and the place after it. Places count from 0. */
  key: string | null
  place: number | null
}

/** Files that systems leave in folders of pictures; they are passed over. */
const leftovers = /^\.|^(?:thumbs\.db|desktop\.ini|ehthumbs\.db|icon\r)$|^@eadir$|^__macosx$/i

export function isLeftover(fileName: string): boolean {
  return leftovers.test(fileName)
}

/**
 * Reads a file's name: `MIC-001.jpg` is the first photo of MIC-001, and `MIC-001-2.png` its second, unless there is an item
 * MIC-001-2. What a file name cannot contain is written as %2F and the like. The result is in Unicode's normal form C, whichever form
 * the file system has.
 */
export function readName(fileName: string): PhotoName {
  const stem = unescaped(fileName.replace(/\.[^.]*$/, '')).normalize('NFC')
  const parts = /^(.+)-(\d{1,4})$/.exec(stem)
  const number = Number(parts?.[2] ?? 0)
  return {
    whole: stem,
    key: number >= 1 ? (parts?.[1] ?? null) : null,
    place: number >= 1 ? number - 1 : null,
  }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
