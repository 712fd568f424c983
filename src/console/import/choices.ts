import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { categories } from '../../domain/vocabulary.ts'
import { readColumnsWithoutChoices } from '../../importer/columns.ts'
import { doubtNames, doubtsOfTheForm } from '../../importer/doubts.ts'
import { isDateFormat } from '../../importer/foreign/formats.ts'
import { tools } from '../../importer/foreign/tools.ts'
import { kinds } from '../../importer/kinds/index.ts'
import { archiveId, type StoredArchive } from './archives.ts'

/** The forms of dates that the console offers; the command line takes any. */
export const dateFormats = [
  ...['dd/mm/yyyy', 'mm/dd/yyyy', 'dd.mm.yyyy', 'yyyy/mm/dd', 'dd-mm-yyyy', 'dd/mm/yy', 'mm/dd/yy', 'dd.mm.yy'],
  ...['d mmmm yyyy', 'mmmm d, yyyy'],
]

/** How many columns and categories a preview asks about. It reads the others as recognised. */
export const maxColumns = 500
export const maxCategories = 100

const kindNames = [...kinds.map(({ name }) => name), 'photos' as const]
type Pair = [string, string]
const pair = z.tuple([z.string().max(1000), z.string().max(100)])

/** How to read an uploaded file, as chosen in the form. Stored with the file. */
export const choicesSchema = z.object({
  kind: z.enum(kindNames),
  file: z.string().max(200),
  from: z.string().refine((from) => ['guess', 'ours'].includes(from) || Object.hasOwn(tools, from)),
  dates: z.string().refine((dates) => dates === '' || isDateFormat(dates)),
  decimal: z.enum(['', 'comma', 'point']),
  makeLocations: z.boolean(),
  /** The archive of photos on the disk, instead of content. */
  archive: z.object({ id: z.string().regex(archiveId), sha256: z.string().regex(/^[0-9a-f]{64}$/) }).optional(),
  /** The sheet of a workbook; empty: the first that is shown. */
  sheet: z.string().max(100).default(''),
  /** The column that identifies rows; empty: external_key's; `none`: numbers them. */
  key: z.string().max(1000).default(''),
  /** What each column of the file is read as, when it was chosen; empty: it is left out. */
  columns: z.array(pair).max(maxColumns),
  /** For each category of the file, the one of ours that it stands for. */
  categories: z.array(z.tuple([z.string().max(1000), z.enum(categories)])).max(500),
  /** The doubts that somebody has accepted. */
  accept: z.array(z.enum(doubtNames)).default([]),
  /** Nobody has seen a preview yet: how the last file with this header was read is still to be asked. */
  isNew: z.boolean().default(false),
  /** They are those of the last file with this header, and nobody has changed them. */
  isRecalled: z.boolean().default(false),
})

export type Choices = z.infer<typeof choicesSchema>

/** An upload as the database stores it. */
export type Upload = { content: Buffer; choices: Choices }

/** An upload's name: sha256 of the file and how to read it, so people confirm what they saw. */
export function digestOfUpload({ content, choices }: Upload): Buffer {
  return createHash('sha256').update(JSON.stringify(choices)).update('\0').update(content).digest()
}

/** What the first form says. @returns a text that says what is wrong */
export function choicesIn(
  fields: Record<string, string>,
  { name: file, archive }: { name: string; archive?: StoredArchive },
): Choices | string {
  const { kind = '', from = 'guess', dates = '', decimal = '' } = fields
  if (!kindNames.some((name) => name === kind)) return 'Choose what the file contains.'
  const makeLocations = kind === 'items' && fields['make-locations'] === 'on'
  const chosen = {
    kind,
    file: nameOf(file),
    from,
    dates,
    decimal,
    makeLocations,
    archive,
    columns: [],
    categories: [],
    isNew: true,
  }
  const parsed = choicesSchema.safeParse(chosen)
  if (!parsed.success) return 'Choose one of the values that the form offers.'
  const tool = tools[from]
  if (tool !== undefined && tool.kind !== kind)
    return `Exports of ${tool.title} contain ${tool.kind}: choose that as what the file contains.`
  return parsed.data
}

/** The choices, changed by a preview's form. @returns a text that says what is wrong */
export function changedChoices(before: Choices, fields: Record<string, string>): Choices | string {
  const shown = pairsIn(fields, 'column', 'read-as').filter(([theirs]) => theirs.trim() !== '')
  const chosen = pairsIn(fields, 'category', 'ours').filter(([, ours]) => ours !== '')
  const sheet = fields.sheet ?? before.sheet
  // Nobody has seen the columns of another sheet yet.
  const isSeen = sheet === before.sheet
  const columns = shown.length === 0 ? before.columns : [...new Map(saidOf(before, shown))]
  const parsed = choicesSchema.safeParse({
    ...before,
    sheet,
    dates: fields.dates ?? before.dates,
    decimal: fields.decimal ?? before.decimal,
    makeLocations: before.kind === 'items' && fields['make-locations'] === 'on',
    key: isSeen ? (fields.key ?? before.key) : '',
    columns: isSeen ? columns : [],
    categories: [...new Map([...before.categories, ...chosen])],
    accept: doubtNames.filter((name) => fields[`accept-${name}`] === 'on'),
    isNew: false,
    isRecalled: false,
  })
  return parsed.success ? parsed.data : 'Choose one of the values that the form offers.'
}

/** The choices for a new file, as the studio's last file with its header was read. What its form says
 * goes before that, and doubts about single values are asked again.
 * @param last what the database kept @returns undefined if that changes nothing */
export function recalledChoices(before: Choices, last: unknown): Choices | undefined {
  const parsed = choicesSchema.safeParse(last)
  if (!parsed.success) return undefined
  const { accept, columns, categories, key, sheet, from, dates, decimal, makeLocations } = parsed.data
  const recalled = {
    ...before,
    ...{ columns, categories, key, sheet },
    from: before.from === 'guess' ? from : before.from,
    dates: before.dates || dates,
    decimal: before.decimal || decimal,
    makeLocations: before.makeLocations || makeLocations,
    accept: accept.filter((name) => doubtsOfTheForm.includes(name)),
  }
  return isDeepStrictEqual(recalled, before) ? undefined : { ...recalled, isNew: false, isRecalled: true }
}

/** The choices for the importer: all if it would guess. For a known tool only the differences, so
 * that columns which the tool joins stay joined. */
function saidOf({ kind: name, from }: Choices, shown: Pair[]): Pair[] {
  const kind = kinds.find((candidate) => candidate.name === name)
  const names = shown.map(([theirs]) => theirs)
  const unsaid = kind && readColumnsWithoutChoices(kind, names, from)
  if (unsaid === undefined) return shown
  const differs = (_: Pair, at: number) => (unsaid[at]?.ours ?? '') !== shown[at]?.[1]
  const changed = new Set(shown.filter(differs).map(([, ours]) => ours))
  // A column of ours is read from the column chosen for it, and from no other.
  return shown.filter((pair, at) => differs(pair, at) || (pair[1] !== '' && changed.has(pair[1])))
}

/** The choice for each column of the file. */
function pairsIn(fields: Record<string, string>, theirs: string, ours: string): Pair[] {
  return Object.keys(fields)
    .filter((name) => name.startsWith(`${theirs}-`))
    .map((name) => [fields[name] ?? '', fields[`${ours}${name.slice(theirs.length)}`] ?? ''])
}

/** A file's name without its folder and control characters. */
function nameOf(file: string): string {
  const last = file.split(/[\\/]/).at(-1) ?? ''
  return [...last.replace(/\p{C}/gu, '')].slice(0, 100).join('') || 'a file'
}

/** What a file can contain, in the words of the console. */
export const kindLabels: Readonly<Record<string, string>> = {
  locations: 'Locations',
  items: 'Items',
  policies: 'Policies',
  assignments: 'Assignments of items to policies',
  maintenance: 'Maintenance',
  'market-values': 'Market values',
  'depreciation-changes': 'Changes of depreciation',
  photos: 'Photos',
}

/** What a kind of import is called in the middle of a sentence. */
export const kindInWords = (name: string): string => (kindLabels[name] ?? name).toLowerCase()
