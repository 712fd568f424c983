import { createHash } from 'node:crypto'
import { z } from 'zod'
import { categories } from '../../../domain/vocabulary.ts'
import { isDateFormat } from '../../importer/foreign/formats.ts'
import { tools } from '../../importer/foreign/tools/index.ts'
import { kinds } from '../../importer/kinds/index.ts'

/** The forms of dates that the console offers; the command line takes any. */
export const dateFormats = ['dd/mm/yyyy', 'mm/dd/yyyy', 'dd.mm.yyyy', 'yyyy/mm/dd', 'dd-mm-yyyy']

const kindNames = kinds.map(({ name }) => name)
const pair = z.tuple([z.string().max(1000), z.string().max(100)])

/** How an uploaded file is to be read: what was chosen in the form. It is stored beside the file. */
export const choicesSchema = z.object({
  kind: z.enum(kindNames),
  file: z.string().max(200),
  from: z.string().refine((from) => ['guess', 'ours'].includes(from) || Object.hasOwn(tools, from)),
  dates: z.string().refine((dates) => dates === '' || isDateFormat(dates)),
  decimal: z.enum(['', 'comma', 'point']),
  makeLocations: z.boolean(),
  /** What each column of the file is read as, when it was chosen; empty: it is left out. */
  columns: z.array(pair).max(500),
  /** Which of ours each category of the file is. */
  categories: z.array(z.tuple([z.string().max(1000), z.enum(categories)])).max(500),
})

export type Choices = z.infer<typeof choicesSchema>

/** An upload as the database stores it. */
export type Upload = { content: Buffer; choices: Choices }

/** The name of an upload: sha256 of the file and how it is read, so that what is confirmed is what was shown. */
export function digestOfUpload({ content, choices }: Upload): Buffer {
  return createHash('sha256').update(JSON.stringify(choices)).update('\0').update(content).digest()
}

/** What the first form says. @returns a text that says what is wrong */
export function choicesIn(fields: Record<string, string>, file: string): Choices | string {
  const { kind = '', from = 'guess', dates = '', decimal = '' } = fields
  if (!kindNames.some((name) => name === kind)) return 'Choose what the file contains.'
  const makeLocations = kind === 'items' && fields['make-locations'] === 'on'
  const chosen = { kind, file: nameOf(file), from, dates, decimal, makeLocations, columns: [], categories: [] }
  const parsed = choicesSchema.safeParse(chosen)
  if (!parsed.success) return 'Choose one of the values that the form offers.'
  const tool = tools[from]
  if (tool !== undefined && tool.kind !== kind) return `The columns of ${tool.title} are known for ${tool.kind} alone.`
  return parsed.data
}

/** The choices with what was changed in the form of a preview: columns, formats and categories. @returns a text that says what is wrong */
export function changedChoices(before: Choices, fields: Record<string, string>): Choices | string {
  const columns = changedPairs(fields, 'column', 'read-as').filter(([theirs]) => theirs.trim() !== '')
  const chosen = changedPairs(fields, 'category', 'ours').filter(([, ours]) => ours !== '')
  const parsed = choicesSchema.safeParse({
    ...before,
    dates: fields.dates ?? before.dates,
    decimal: fields.decimal ?? before.decimal,
    makeLocations: before.kind === 'items' && fields['make-locations'] === 'on',
    columns: [...new Map([...before.columns, ...columns])],
    categories: [...new Map([...before.categories, ...chosen])],
  })
  return parsed.success ? parsed.data : 'Choose one of the values that the form offers.'
}

/** What was chosen for each of theirs, of a form that says what it showed: only what differs, so that the rest stays as it was found. */
function changedPairs(fields: Record<string, string>, theirs: string, ours: string): [string, string][] {
  const pairs: [string, string][] = []
  for (let at = 0; fields[`${theirs}-${at}`] !== undefined; at++) {
    const chosen = fields[`${ours}-${at}`] ?? ''
    if (chosen !== (fields[`${ours}-was-${at}`] ?? '')) pairs.push([fields[`${theirs}-${at}`] ?? '', chosen])
  }
  return pairs
}

/** A file's name without its folder and control characters. */
function nameOf(file: string): string {
  const last = file.split(/[\\/]/).at(-1) ?? ''
  return [...last.replace(/\p{C}/gu, '')].slice(0, 100).join('') || 'a file'
}
