import type PDFDocument from 'pdfkit'
import { createObjects, reference } from './objects.ts'

type Group = 'Document' | 'Table' | 'THead' | 'TBody' | 'TR'
type Leaf = 'H1' | 'H2' | 'P' | 'TH' | 'TD' | 'Figure'
type Element = { tag: Group | Leaf; id: number; kids: (number | string)[]; attributes: string }

export type Box = readonly [left: number, top: number, right: number, bottom: number]

/** The structure that screen readers use: headings, tables with header cells, descriptions of
 * pictures (ISO 32000-1, 14.7 and 14.8). Writes each element when it ends, so memory holds one
 * page; pdfkit's own structure keeps all elements. */
export function createStructure(document: typeof PDFDocument.prototype) {
  const objects = createObjects(document)
  const root = document.getStructTreeRoot()
  /** For each page, the object that lists the elements of its marked content. */
  const pages: number[] = []
  let marked: number[] = []
  const open: Element[] = []
  /** Inside an artifact, content gets no tag. */
  let silent = false

  const begin = (tag: Element['tag'], attributes = '') => {
    if (silent) return
    open.push({ tag, id: objects.next(), kids: [], attributes })
  }
  const end = () => {
    const element = silent ? undefined : open.pop()
    if (element === undefined) return
    const { tag, id, kids, attributes } = element
    const above = open.at(-1)
    above?.kids.push(`${id} 0 R`)
    const page = kids.some((kid) => typeof kid === 'number') ? `/Pg ${document.page.dictionary}` : ''
    objects.write(id, `<</S/${tag}/P ${above ? `${above.id} 0 R` : root}${page}/K[${kids.join(' ')}]${attributes}>>`)
  }
  const endUntil = (tag: Group) => {
    while (!silent && open.length > 0 && open.at(-1)?.tag !== tag) end()
  }
  /** Marks what is drawn as the content of the innermost element. */
  const content = <Result>(draw: () => Result): Result => {
    if (silent) return draw()
    const element = open.at(-1)
    if (element === undefined) throw new Error('nothing is open in the structure of the PDF')
    document.addContent(`/${element.tag} <</MCID ${marked.length}>> BDC`)
    element.kids.push(marked.length)
    marked.push(element.id)
    const result = draw()
    document.addContent('EMC')
    return result
  }
  const leaf = <Result>(tag: Leaf, draw: () => Result, attributes = ''): Result => {
    begin(tag, attributes)
    const result = content(draw)
    end()
    return result
  }
  const inRow = (draw: () => void) => {
    begin('TR')
    draw()
    end()
  }
  const endPage = () => {
    if (pages.length === 0) return
    const list = objects.next()
    objects.write(list, `[${marked.map((id) => `${id} 0 R`).join(' ')}]`)
    pages[pages.length - 1] = list
    marked = []
  }
  begin('Document')

  return {
    leaf,
    /** Begins a page, after pdfkit has begun it. The rows of a table on this page form a group. */
    page() {
      endPage()
      Object.assign(document.page.dictionary.data, { StructParents: pages.length })
      pages.push(0)
    },
    /** Ends what the previous page began; call it before pdfkit begins another. */
    leavePage() {
      if (open.at(-1)?.tag === 'TBody') end()
    },
    table() {
      endUntil('Document')
      begin('Table')
    },
    endTable: () => endUntil('Document'),
    head(draw: () => void) {
      begin('THead')
      inRow(draw)
      end()
    },
    /** The next row begins a group of rows. */
    group: () => endUntil('Table'),
    row(draw: () => void) {
      if (open.at(-1)?.tag === 'Table') begin('TBody')
      inRow(draw)
    },
    /** A header cell of the cells below or, in a row, to the right. */
    header: <Result>(scope: 'Column' | 'Row', draw: () => Result) => leaf('TH', draw, `/A<</O/Table/Scope/${scope}>>`),
    /** A heading in a cell as wide as the table. */
    heading(columns: number, draw: () => void) {
      begin('TH', `/A<</O/Table/Scope/Row/ColSpan ${columns}>>`)
      leaf('H2', draw)
      end()
    },
    cell: <Result>(draw: () => Result) => leaf('TD', draw),
    emptyCell() {
      begin('TD')
      end()
    },
    picture(description: string, [left, top, right, bottom]: Box, draw: () => void) {
      const { height } = document.page
      const box = [left, height - bottom, right, height - top].map((point) => point.toFixed(2)).join(' ')
      begin('TD')
      leaf('Figure', draw, `/Alt${unicode(description)}/A<</O/Layout/Placement/Block/BBox[${box}]>>`)
      end()
    },
    /** Content that screen readers skip: lines, and the parts that each page repeats. */
    artifact<Result>(draw: () => Result): Result {
      if (silent) return draw()
      document.addContent('/Artifact BMC')
      silent = true
      const result = draw()
      silent = false
      document.addContent('EMC')
      return result
    },
    end() {
      endUntil('Document')
      endPage()
      const [element] = open
      end()
      const tree = objects.next()
      objects.write(tree, `<</Nums[${pages.map((list, page) => `${page} ${list} 0 R`).join(' ')}]>>`)
      Object.assign(root.data, {
        K: reference(element?.id ?? 0),
        ParentTree: reference(tree),
        ParentTreeNextKey: pages.length,
      })
      objects.end()
    },
  }
}

const unicode = (text: string) => `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`
