import { strToU8, type Zippable, zipSync } from 'fflate'

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A cell as the sheet's XML stores it: type, style, formula, value and inline string. */
export type Stored = { t?: string; s?: number; f?: string; v?: string; is?: string }
/** A day gets the style of days; of undefined nothing is stored. */
export type Value = string | number | boolean | Date | Stored | null | undefined

export type Options = {
  hidden?: readonly string[]
  /** Number formats of the styles from 2 on; 1 is that of days. */
  formats?: readonly string[]
  /** XML of `<si>` elements, which cells of type s refer to. */
  texts?: readonly string[]
  /** What comes after the rows of the first sheet, such as merged cells. */
  tail?: string
  /** Elements of workbook.xml before and after its sheets. */
  properties?: string
  calculation?: string
  /** Parts that are changed, by name; undefined leaves one out. */
  parts?: Readonly<Record<string, string | Uint8Array | undefined>>
}

export const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`).replaceAll('\r', '&#13;')

/** A workbook with these rows, as Excel would write it but for texts, which are in cells. */
export function partsOf(sheets: Readonly<Record<string, readonly (readonly Value[])[]>>, options: Options = {}) {
  const names = Object.keys(sheets)
  const { hidden = [], formats = [], texts = [], tail = '', properties = '', calculation = '', parts = {} } = options
  const tabs = names.map((name, at) => {
    const state = hidden.includes(name) ? ' state="hidden"' : ''
    return `<sheet name="${escaped(name)}" sheetId="${at + 1}"${state} r:id="rId${at + 1}"/>`
  })
  const codes = ['dd.mm.yyyy', ...formats]
  const all: Record<string, string | Uint8Array | undefined> = {
    '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}">${properties}<sheets>${tabs.join('')}</sheets>${calculation}</workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ...names.map((_, at): [string, string] => ['worksheet', `worksheets/sheet${at + 1}.xml`]),
      ['styles', 'styles.xml'],
      ['sharedStrings', 'sharedStrings.xml'],
    ]),
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts>${codes
      .map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${escaped(code)}"/>`)
      .join(
        '',
      )}</numFmts><cellXfs><xf numFmtId="0"/>${codes.map((_, at) => `<xf numFmtId="${164 + at}"/>`).join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${main}">${texts.map((text) => `<si>${text}</si>`).join('')}</sst>`,
  }
  for (const [at, rows] of Object.values(sheets).entries()) {
    all[`xl/worksheets/sheet${at + 1}.xml`] =
      `<worksheet xmlns="${main}"><sheetData>${rows.map(rowXml).join('')}</sheetData>${at === 0 ? tail : ''}</worksheet>`
  }
  return { ...all, ...parts }
}

export const workbook = (...of: Parameters<typeof partsOf>): Buffer => zipped(partsOf(...of))

/** An archive of parts; those below `deflatedFrom` bytes are stored as they are, which is faster. */
export function zipped(parts: Readonly<Record<string, string | Uint8Array | undefined>>, deflatedFrom = 2_000): Buffer {
  const files = Object.entries(parts).flatMap(([name, content]): [string, Zippable[string]][] => {
    if (content === undefined) return []
    const bytes = typeof content === 'string' ? strToU8(content) : content
    return [[name, [bytes, { level: bytes.length < deflatedFrom ? 0 : 6 }]]]
  })
  return Buffer.from(zipSync(Object.fromEntries(files)))
}

export function relationships(of: readonly (readonly [string, string])[]): string {
  const lines = of.map(
    ([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${office}/${type}" Target="${target}"/>`,
  )
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${lines.join('')}</Relationships>`
}

const rowXml = (row: readonly Value[], at: number) =>
  row.length === 0
    ? ''
    : `<row r="${at + 1}">${row.map((value, column) => cellXml(value, `${String.fromCharCode(65 + column)}${at + 1}`)).join('')}</row>`

function cellXml(value: Value, reference: string): string {
  const stored = storedAs(value)
  if (stored === undefined) return ''
  const { t, s, f, v, is } = stored
  const content = [
    f === undefined ? '' : `<f>${f}</f>`,
    v === undefined ? '' : `<v>${v}</v>`,
    is === undefined ? '' : `<is>${is}</is>`,
  ]
  return `<c r="${reference}"${t === undefined ? '' : ` t="${t}"`}${s === undefined ? '' : ` s="${s}"`}>${content.join('')}</c>`
}

function storedAs(value: Value): Stored | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return { t: 'inlineStr', is: `<t>${escaped(value)}</t>` }
  if (typeof value === 'number') return { v: String(value) }
  if (typeof value === 'boolean') return { t: 'b', v: value ? '1' : '0' }
  return value instanceof Date ? { s: 1, v: String(serialOf(value)) } : value
}

/** The number of a moment, as spreadsheets count from 1900. */
export const serialOf = (moment: Date): number => (moment.getTime() - Date.UTC(1899, 11, 30)) / 86_400_000
