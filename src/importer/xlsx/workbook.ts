import { posix } from 'node:path'
import { UnreadableFile } from '../row-errors.ts'
import { type Archive, damaged, openArchive } from './archive.ts'
import type { Book } from './cell.ts'
import { builtIn, type Format, formatOf } from './formats.ts'
import { readTexts } from './texts.ts'
import { parseAll } from './xml.ts'

/** A sheet of cells, and the part of the archive that it is in. */
export type Tab = { name: string; hidden: boolean; part: string }

type Workbook = { archive: Archive; tabs: readonly Tab[]; book: Book }

/** Opens a workbook and what its sheets refer to. @throws UnreadableFile when it is damaged, too
 * large or no workbook, and what the file system throws */
export async function readWorkbook(path: string): Promise<Workbook> {
  const archive = await openArchive(path)
  try {
    const [main] = await related(archive, '', 'officeDocument')
    await requireSheets(archive, main?.part)
    return { archive, ...(await readParts(archive, main?.part ?? '')) }
  } catch (error) {
    archive.close()
    throw error
  }
}

async function readParts(archive: Archive, main: string): Promise<Omit<Workbook, 'archive'>> {
  const sheets: { name: string; hidden: boolean; id: string }[] = []
  let [from1904, uncalculated] = [false, false]
  await parseAll(archive.part(main), {
    root: 'workbook',
    open(name, attribute, parents) {
      if (parents.length === 1 && name === 'workbookPr') from1904 = isTrue(attribute('date1904'))
      if (parents.length === 1 && name === 'calcPr') uncalculated = isTrue(attribute('fullCalcOnLoad'))
      if (name !== 'sheet' || parents.join('/') !== 'workbook/sheets') return
      const hidden = (attribute('state') ?? 'visible') !== 'visible'
      sheets.push({ name: attribute('name') ?? '', hidden, id: attribute('r:id') ?? '' })
    },
  })
  const parts = new Map((await related(archive, main, 'worksheet')).map(({ id, part }) => [id, part]))
  const [texts] = await related(archive, main, 'sharedStrings')
  const [styles] = await related(archive, main, 'styles')
  return {
    // Sheets of charts have no cells.
    tabs: sheets.flatMap(({ id, ...tab }) => ({ ...tab, part: parts.get(id) ?? '' })).filter(({ part }) => part !== ''),
    book: {
      texts: texts ? await readTexts(archive.part(texts.part, 'texts')) : [],
      formats: styles ? await readFormats(archive, styles.part) : ['general'],
      from1904,
      uncalculated,
    },
  }
}

const isTrue = (value: string | undefined) => value === '1' || value === 'true'

/** The parts of a type to which a part refers, in their order. */
async function related(archive: Archive, from: string, type: string): Promise<{ id: string; part: string }[]> {
  const { dir, base } = posix.parse(from)
  const found: { id: string; part: string }[] = []
  const relationships = posix.join(dir, '_rels', `${base}.rels`)
  if (!archive.names.has(relationships.toLowerCase())) return found
  await parseAll(archive.part(relationships), {
    root: 'Relationships',
    open(name, attribute) {
      if (name !== 'Relationship' || attribute('TargetMode') === 'External') return
      if (!attribute('Type')?.endsWith(`/relationships/${type}`)) return
      const part = posix.resolve('/', dir, attribute('Target') ?? '').slice(1)
      found.push({ id: attribute('Id') ?? '', part })
    },
  })
  return found
}

/** The number format of each style of cells. */
async function readFormats(archive: Archive, part: string): Promise<Format[]> {
  const codes = new Map<number, Format>()
  const ids: number[] = []
  await parseAll(archive.part(part), {
    root: 'styleSheet',
    open(name, attribute, parents) {
      const id = Number(attribute('numFmtId') ?? 0)
      const parent = parents.length === 2 ? parents[1] : undefined
      if (name === 'numFmt' && parent === 'numFmts') codes.set(id, formatOf(attribute('formatCode') ?? ''))
      if (name === 'xf' && parent === 'cellXfs') ids.push(id)
    },
  })
  return ids.length === 0 ? ['general'] : ids.map((id) => codes.get(id) ?? builtIn(id))
}

/** Names the kind of an archive that is not a workbook. */
async function requireSheets({ names, part }: Archive, main: string | undefined): Promise<void> {
  const saved = 'open it in the spreadsheet program and save it as XLSX or "CSV UTF-8"'
  const is = (what: string, remedy = saved) =>
    new UnreadableFile(1, `is ${what}, not a CSV file or an XLSX workbook`, remedy)
  if (/^(?:word|ppt)\//.test(main ?? '')) {
    throw is('a document of Word or PowerPoint', 'copy its table into a spreadsheet and save that as XLSX')
  }
  if (main?.endsWith('.bin')) throw is('an Excel binary workbook (XLSB)')
  if (main !== undefined) return
  if ([...names].some((name) => name.endsWith('.iwa') || name === 'index.zip')) {
    throw is('a Numbers document', 'in Numbers choose File, Export To, Excel')
  }
  if (names.has('mimetype')) {
    for await (const bytes of part('mimetype')) {
      if (bytes.includes('opendocument')) throw is('an OpenDocument file')
    }
  }
  throw names.has('[content_types].xml') ? damaged() : is('an archive')
}
