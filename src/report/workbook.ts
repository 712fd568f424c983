import { strToU8, Zip, ZipDeflate, ZipPassThrough } from 'fflate'
import { minorUnits } from '../domain/vocabulary.ts'

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const parts = 'http://schemas.openxmlformats.org/package/2006'
const drawn = 'http://schemas.openxmlformats.org/drawingml/2006'
const type = 'application/vnd.openxmlformats-officedocument'

/** The styles of cells by their number in the file: number format and alignment. */
const styles = {
  plain: { format: 0 },
  text: { format: 49, alignment: 'horizontal="left" vertical="top" wrapText="1" indent="1"' },
  sentence: { format: 49, alignment: 'horizontal="left" vertical="top" indent="1"' },
  whole: { format: 3, alignment: 'vertical="top"' },
  day: { format: 164, alignment: 'horizontal="left" vertical="top" indent="1"' },
  money: { format: 165, alignment: 'vertical="top"' },
  heading: { format: 49, bold: true, alignment: 'horizontal="left" vertical="top" indent="1"' },
  boldWhole: { format: 3, bold: true, alignment: 'horizontal="right" vertical="top"' },
  boldMoney: { format: 165, bold: true, alignment: 'horizontal="right" vertical="top"' },
} as const satisfies Record<string, { format: number; bold?: true; alignment?: string }>

export type Style = keyof typeof styles
const numberOf = (style: Style) => Object.keys(styles).indexOf(style)

/** A text stays a text even if it begins like a formula. Null makes an empty cell. Days are
 * `YYYY-MM-DD`. */
type Value = string | number | null
export type Cell = readonly [Value, Style]

type Page = { name: string; columns: readonly { width: number; style: Style }[]; header: string; footer: string }

/** A JPEG for the first column. Its size is in pixels, and rows count from 0. */
export type Picture = { jpeg: Uint8Array; width: number; height: number; row: number }

export type Sheet = {
  /** @param height in points; without it, the spreadsheet program chooses one */
  row(cells: readonly Cell[], height?: number): void
  end(pictures?: readonly Picture[]): void
}

/** Writes an XLSX workbook part by part (A4 landscape). A sheet ends before the next begins.
 * @param write takes finished bytes @param currency of the style `money` */
export function createWorkbook(write: (bytes: Uint8Array) => void, currency: string) {
  const zip = new Zip((error, bytes) => {
    if (error) throw error
    write(bytes)
  })
  const begin = (name: string) => {
    const file = new ZipDeflate(name)
    zip.add(file)
    return (xml: string, last = false) => file.push(strToU8(xml), last)
  }
  const part = (name: string, xml: string) => begin(name)(`${declaration}${xml}`, true)
  const sheets: string[] = []
  /** Prints the first row of a frozen sheet on each of its pages. */
  const titles: string[] = []
  let pictured = false

  /** @param frozen how many columns stay in view, with the first row, which each page repeats */
  function sheet({ name, columns, header, footer }: Page, frozen = 0): Sheet {
    const number = sheets.push(`<sheet name="${name}" sheetId="${sheets.length + 1}" r:id="rId${sheets.length + 1}"/>`)
    const add = begin(`xl/worksheets/sheet${number}.xml`)
    if (frozen > 0) {
      titles.push(`<definedName name="_xlnm.Print_Titles" localSheetId="${number - 1}">'${name}'!$1:$1</definedName>`)
    }
    const view = `<pane xSplit="${frozen}" ySplit="1" topLeftCell="${letter(frozen)}2" activePane="bottomRight" state="frozen"/><selection pane="bottomRight"/>`
    const cols = columns.map(
      ({ width, style }, at) =>
        `<col min="${at + 1}" max="${at + 1}" width="${width}" style="${numberOf(style)}" customWidth="1"/>`,
    )
    add(
      `${declaration}<worksheet xmlns="${main}" xmlns:r="${office}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>${
        frozen > 0 ? `<sheetViews><sheetView workbookViewId="0">${view}</sheetView></sheetViews>` : ''
      }<sheetFormatPr defaultRowHeight="15"/><cols>${cols.join('')}</cols><sheetData>`,
    )
    let line = 0
    return {
      row(cells, height) {
        line += 1
        const high = height === undefined ? '' : ` ht="${height}" customHeight="1"`
        add(`<row r="${line}"${high}>${cells.map((cell, at) => cellXml(cell, `${letter(at)}${line}`)).join('')}</row>`)
      },
      end(pictures = []) {
        const margins = 'left="0.4" right="0.4" top="0.6" bottom="0.7" header="0.3" footer="0.3"'
        const drawing = pictures.length > 0 ? '<drawing r:id="rId1"/>' : ''
        add(
          `</sheetData><pageMargins ${margins}/><pageSetup paperSize="9" orientation="landscape" fitToHeight="0"/><headerFooter><oddHeader>${escaped(header)}</oddHeader><oddFooter>${escaped(footer)}</oddFooter></headerFooter>${drawing}</worksheet>`,
          true,
        )
        if (pictures.length === 0) return
        pictured = true
        part(`xl/worksheets/_rels/sheet${number}.xml.rels`, related([['drawing', '../drawings/drawing1.xml']]))
        part('xl/drawings/drawing1.xml', drawingXml(pictures))
        const images = pictures.map((_, at): [string, string] => ['image', `../media/image${at + 1}.jpeg`])
        part('xl/drawings/_rels/drawing1.xml.rels', related(images))
        for (const [at, { jpeg }] of pictures.entries()) {
          const file = new ZipPassThrough(`xl/media/image${at + 1}.jpeg`)
          zip.add(file)
          file.push(jpeg, true)
        }
      },
    }
  }

  /** Writes the parts that concern all sheets. */
  function end(): void {
    part(
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${sheets.join('')}</sheets><definedNames>${titles.join('')}</definedNames></workbook>`,
    )
    const rels = sheets.map((_, at): [string, string] => ['worksheet', `worksheets/sheet${at + 1}.xml`])
    part('xl/_rels/workbook.xml.rels', related([...rels, ['styles', 'styles.xml']]))
    part('xl/styles.xml', stylesXml(currency))
    part(
      'docProps/core.xml',
      `<cp:coreProperties xmlns:cp="${parts}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Studio Inventory</dc:creator></cp:coreProperties>`,
    )
    part(
      '_rels/.rels',
      related([['officeDocument', 'xl/workbook.xml']], [['metadata/core-properties', 'docProps/core.xml']]),
    )
    const overrides = [
      ['xl/workbook.xml', `${type}.spreadsheetml.sheet.main+xml`],
      ...sheets.map((_, at) => [`xl/worksheets/sheet${at + 1}.xml`, `${type}.spreadsheetml.worksheet+xml`]),
      ['xl/styles.xml', `${type}.spreadsheetml.styles+xml`],
      ...(pictured ? [['xl/drawings/drawing1.xml', `${type}.drawing+xml`]] : []),
      ['docProps/core.xml', 'application/vnd.openxmlformats-package.core-properties+xml'],
    ].map(([name, content]) => `<Override PartName="/${name}" ContentType="${content}"/>`)
    part(
      '[Content_Types].xml',
      `<Types xmlns="${parts}/content-types"><Default Extension="jpeg" ContentType="image/jpeg"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`,
    )
    zip.end()
  }
  return { sheet, end }
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

/** Names a column by one letter, so a sheet has at most 26 columns. */
const letter = (at: number) => String.fromCharCode(65 + at)

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}

/** XML cannot contain control characters. */
const escaped = (text: string) =>
  text
    .toWellFormed()
    .replace(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, '')
    .replace(/[&<>"\r]/g, (character) => entities[character] ?? '')

function cellXml([value, style]: Cell, reference: string): string {
  const opening = `<c r="${reference}" s="${numberOf(style)}"`
  if (value === null) return `${opening}/>`
  if (typeof value === 'number') return `${opening}><v>${value}</v></c>`
  // Spreadsheets have no numbers for earlier days, or disagree about them.
  if (style !== 'day' || value < '1900-03-01') return `${opening} t="str"><v>${escaped(value)}</v></c>`
  return `${opening}><v>${(Date.parse(`${value}T00:00:00Z`) - Date.UTC(1899, 11, 30)) / 86_400_000}</v></c>`
}

function related(...groups: [string, string][][]): string {
  const bases = [office, `${parts}/relationships`]
  const all = groups.flatMap((group, at) => group.map(([kind, target]) => [`${bases[at]}/${kind}`, target]))
  const lines = all.map(([kind, target], at) => `<Relationship Id="rId${at + 1}" Type="${kind}" Target="${target}"/>`)
  return `<Relationships xmlns="${parts}/relationships">${lines.join('')}</Relationships>`
}

function stylesXml(currency: string): string {
  const number = (0).toFixed(minorUnits(currency)).replace('0', '#,##0')
  const money = `[$${currency}] ${number}_-;-[$${currency}] ${number}_-`
  const all: { format: number; bold?: true; alignment?: string }[] = Object.values(styles)
  const xfs = all.map(
    ({ format, bold, alignment }) =>
      `<xf numFmtId="${format}" fontId="${bold ? 1 : 0}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyAlignment="1">${alignment ? `<alignment ${alignment}/>` : ''}</xf>`,
  )
  const font = '<sz val="11"/><name val="Calibri"/><family val="2"/>'
  const fills = ['none', 'gray125'].map((pattern) => `<fill><patternFill patternType="${pattern}"/></fill>`)
  return [
    `<styleSheet xmlns="${main}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/>`,
    `<numFmt numFmtId="165" formatCode="${escaped(money)}"/></numFmts>`,
    `<fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts><fills count="2">${fills.join('')}</fills>`,
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
    `<cellXfs count="${xfs.length}">${xfs.join('')}</cellXfs>`,
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
  ].join('')
}

/** Drawings measure in units of which a pixel has 9525. */
const pixel = 9525

function drawingXml(pictures: readonly Picture[]): string {
  const anchors = pictures.map(
    ({ row, width, height }, at) =>
      `<xdr:oneCellAnchor editAs="oneCell"><xdr:from><xdr:col>0</xdr:col><xdr:colOff>${6 * 1000}</xdr:colOff><xdr:row>${row}</xdr:row><xdr:rowOff>${2 * pixel}</xdr:rowOff></xdr:from><xdr:ext cx="${width * pixel}" cy="${height * pixel}"/><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="${at + 1}" name="Picture ${at + 1}"/><xdr:cNvPicPr><a:picLocks noChangeAspect="1"/></xdr:cNvPicPr></xdr:nvPicPr><xdr:blipFill><a:blip xmlns:r="${office}" r:embed="rId${at + 1}"/><a:stretch><a:fillRect/></a:stretch></xdr:blipFill><xdr:spPr><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr></xdr:pic><xdr:clientData/></xdr:oneCellAnchor>`,
  )
  return `<xdr:wsDr xmlns:xdr="${drawn}/spreadsheetDrawing" xmlns:a="${drawn}/main">${anchors.join('')}</xdr:wsDr>`
}
