import { parse } from 'csv-parse/sync'
import { closestMatch, escapeFormula, unescapeFormula } from '../../domain/text.ts'
import { categories } from '../../domain/vocabulary.ts'
import type { Hint } from '../cells.ts'
import { csvLine } from '../row-errors.ts'
import { suggestedCategory } from './category-words.ts'
import { MappingRefused } from './mapping.ts'

/** The file's categories, each with the one of ours that it stands for. It is empty if the user named none. */
export type Categories = ReadonlyMap<string, string>

const header = ['theirs', 'ours', 'rows']
const keyOf = (text: string) => text.trim().toLowerCase()

/** Reads a file that maps the other tool's categories to ours. @throws MappingRefused */
export function categoriesIn(text: string, path: string): Categories {
  const refuse = (message: string, hint: string) => {
    throw new MappingRefused(`${path}: ${message}`, hint)
  }
  let rows: string[][] = []
  try {
    rows = parse(text, { bom: true, relax_column_count: true, skip_empty_lines: true, delimiter: [',', ';', '\t'] })
  } catch (error) {
    refuse(`cannot be read as CSV: ${(error as Error).message}`, 'Its first line is: theirs,ours')
  }
  const [first, ...rest] = rows
  if (first?.[0] !== header[0] || first?.[1] !== header[1])
    refuse('is not a file of categories', 'Its first line is: theirs,ours')
  const found = new Map<string, string>()
  for (const [theirs = '', ours = ''] of rest) {
    const category = categories.find((name) => keyOf(name) === keyOf(ours))
    if (category === undefined && ours.trim() !== '') {
      const meant = closestMatch(ours, categories)
      refuse(
        `"${ours}", next to "${theirs}", is not one of the categories${meant === undefined ? '' : `: did you mean "${meant}"?`}`,
        `The categories: ${categories.join(' · ')}`,
      )
    }
    for (const name of [theirs, unescapeFormula(theirs)]) found.set(keyOf(name), category ?? '')
  }
  return found
}

/** A column with more different values than this has no categories. */
const maxUnknown = 1000

/** Translates categories, and counts the rows of unknown ones. */
export function translator(known: Categories) {
  const unknown = new Map<string, number>()
  return {
    unknown,
    translate(text: string): string | Hint {
      const found = known.get(keyOf(text))
      if (found !== undefined && found !== '') return found
      if (categories.some((name) => keyOf(name) === keyOf(text))) return text
      const theirs = text.trim()
      if (unknown.has(theirs) || unknown.size < maxUnknown) unknown.set(theirs, (unknown.get(theirs) ?? 0) + 1)
      if (found === '') return { problem: 'has no category in the file of categories', remedy: 'write one next to it' }
      return text
    },
  }
}

/** Begins a file of categories: each unknown name, and a similarly spelt one of ours, if any. */
export function draftCategoriesFile(unknown: ReadonlyMap<string, number>): string {
  const lines = [...unknown]
    .sort(([, one], [, other]) => other - one)
    .map(([theirs, rows]) => csvLine([escapeFormula(theirs), suggestedCategory(theirs) ?? '', String(rows)]))
  return `${csvLine(header)}${lines.join('')}`
}
