import type { Kind } from '../kinds/kind.ts'
import { MappingRefused, sameName, type Tool } from './mapping.ts'

/** Cheqroom publishes no list of columns. These are every item's fields in its help:
 * https://help.cheqroom.com/en/articles/9515671-quick-start-administrator-guide */
const cheqroom: Tool = {
  title: 'Cheqroom',
  kind: 'items',
  remark:
    'Cheqroom publishes no list of columns: these are the fields that every item has. Custom fields with other names than ours need `--map`.',
  columns: {
    external_key: { from: ['Barcode', 'Barcodes', 'Code', 'Codes'] },
    name: { from: ['Name'] },
    manufacturer: { from: ['Brand'] },
    barcode: { from: ['Barcode', 'Barcodes'] },
    category: { from: ['Category'] },
    location: { from: ['Location'] },
  },
  ignored: [],
}

/** The CSV export, also of earlier versions (`HB.labels`, `HB.purchase_time`). Locations have rows
 * of their own, which differ from items' only in their addresses.
 * sysadminsmedia/homebox: backend/internal/core/services/reporting/io_row.go */
const homebox: Tool = {
  title: 'Homebox',
  kind: 'items',
  remark:
    'Its dates and decimals are ours. Categories are not among its columns; tags are. Rows of locations are left out. Sold items are disposed of. If items have no asset id: `--key HB.url`.',
  columns: {
    external_key: { from: ['HB.asset_id'] },
    name: { from: ['HB.name'] },
    manufacturer: { from: ['HB.manufacturer'] },
    model: { from: ['HB.model_number'] },
    serial_number: { from: ['HB.serial_number'] },
    tags: { from: ['HB.tags', 'HB.labels'] },
    location: { from: ['HB.location'] },
    purchase_price: { from: ['HB.purchase_price'] },
    acquisition_date: { from: ['HB.purchase_date', 'HB.purchase_time'] },
    disposed_on: { from: ['HB.sold_date', 'HB.sold_time'] },
    disposal_proceeds: { from: ['HB.sold_price'], ifFilled: 'HB.sold_date' },
    archived: { from: ['HB.archived', 'HB.sold_date', 'HB.sold_time'] },
  },
  ignored: [],
  except: { column: 'HB.url', contains: '/location/', what: 'locations of Homebox' },
  spareKeys: ['HB.import_ref', 'HB.url'],
}

/** The equipment export in English. A serialized piece's columns end in "(Serial number)".
 * https://support.rentman.io/hc/en-us/articles/24320695034642, .../360013086279,
 * .../13141562920338 */
const rentman: Tool = {
  title: 'Rentman',
  kind: 'items',
  remark:
    'Export serialized equipment with its serial numbers, so that each row is one piece. Combinations are left out, because their pieces have rows of their own.',
  columns: {
    external_key: { from: ['Internal reference (Serial number)', 'Serial number (Serial number)', 'Code', 'ID'] },
    name: { from: ['Name (In Database)', 'Name'] },
    serial_number: { from: ['Serial number (Serial number)', 'Serial number'] },
    barcode: { from: ['QR codes (Serial number)', 'QR codes', 'QR code'], commas: 'first' },
    category: { from: ['Folder', 'Category'] },
    location: { from: ['Location in default stock location', 'Location in warehouse'] },
    purchase_price: { from: ['Purchase price (Serial number)', 'Purchase price', 'List price'] },
    acquisition_date: { from: ['Date of purchase (Serial number)', 'Date of purchase'] },
  },
  ignored: [],
  except: {
    column: 'Type of Equipment',
    contains: 'combination',
    what: 'combinations of Rentman, whose pieces have rows',
  },
  singles: { column: 'Stock calculation method', contains: 'Serialized' },
}

/** The list of assets, the custom asset report, and the sample of its import (`Name`), in English.
 * https://github.com/grokability/snipe-it/blob/master/app/Presenters/AssetPresenter.php */
const snipeIt: Tool = {
  title: 'Snipe-IT',
  kind: 'items',
  remark:
    'The export of the list of assets, or a custom asset report, in English. Assets that are archived, lost, stolen or deleted are archived.',
  columns: {
    external_key: { from: ['Asset Tag'] },
    // The model names an asset without a name.
    name: { from: ['Asset Name', 'Item Name', 'Name', 'Model', 'Model Name'] },
    manufacturer: { from: ['Manufacturer'] },
    model: { from: ['Model', 'Model Name', 'Model No.', 'Model Number'] },
    serial_number: { from: ['Serial', 'Serial Number'] },
    category: { from: ['Category'] },
    location: { from: ['Default Location', 'Location'] },
    purchase_price: { from: ['Cost', 'Purchase Cost'] },
    acquisition_date: { from: ['Purchased', 'Purchase Date'] },
    archived: { from: ['Status', 'Status Label', 'Archived', 'Deleted'] },
  },
  ignored: [],
  // In an older layout it is the person who has the asset.
  unless: { Name: 'Item Name' },
}

/** Fixed columns, folders by level, then custom fields. Folders have rows of their own. Sortly
 * publishes no list of columns: these are from public programs that read its files. */
const sortly: Tool = {
  title: 'Sortly',
  kind: 'items',
  remark: 'Folders become locations. Custom fields with other names than these and ours need `--map`.',
  columns: {
    external_key: { from: ['Sortly ID (SID)', 'Sortly ID', 'SID'] },
    name: { from: ['Entry Name'] },
    manufacturer: { from: ['Make'] },
    model: { from: ['Model/Part Number'] },
    serial_number: { from: ['Serial Number'] },
    barcode: { from: ['Barcode/QR1-Data'] },
    category: { from: ['Category'] },
    tags: { from: ['Tags'], commas: 'all' },
    location: {
      from: ['Primary Folder', 'Subfolder-level1', 'Subfolder-level2', 'Subfolder-level3', 'Subfolder-level4'],
      joined: ' / ',
    },
    purchase_price: { from: ['Buy Price', 'Price'] },
    acquisition_date: { from: ['Purchase Date'] },
  },
  ignored: [],
  only: { column: 'Entry Type', values: ['Item', 'Variant'] },
}

/** What this service writes itself, by the kind of record: lists as CSV from the API and the console,
 * and the report. Identified by id where a record has no key. Columns that it calculates are left
 * out. */
const own = (
  kind: Kind['name'],
  title: string,
  has: readonly string[],
  {
    key = ['external_key', 'id'],
    ignored = [],
    ...columns
  }: { key?: string[]; ignored?: string[]; [ours: string]: string[] | undefined } = {},
): Tool & { has: readonly string[] } => ({
  ...{ kind, title, has, ignored, own: true },
  columns: Object.fromEntries(
    Object.entries({ external_key: key, ...columns }).map(([ours, from = []]) => [ours, { from }]),
  ),
})
const times = ['created_at', 'updated_at']
const ownFiles = [
  own('items', 'exported by this service', ['id', 'name', 'depreciation_method', 'reported_insured_value', ...times], {
    location: ['location_id'],
    // The list shows today's method. The item may have begun with another.
    ignored: ['depreciation_method'],
  }),
  own('items', "from the console's list", ['Id', 'Name', 'Category', 'Declared', 'Coverage', 'Currency'], {
    key: ['Key', 'Id'],
    reported_insured_value: ['Declared'],
  }),
  own('items', 'from the report', ['Name', 'Category', 'Reported as insured', 'Declaration', 'Book value', 'Key'], {
    key: ['Key', 'Id'],
    reported_insured_value: ['Reported as insured'],
    acquisition_date: ['Acquired'],
    // The report writes the location above it into the same cell.
    ignored: ['Location'],
  }),
  own('locations', 'exported by this service', ['id', 'name', 'parent_id', 'address_line1', ...times], {
    parent: ['parent_id'],
  }),
  own('policies', 'exported by this service', ['id', 'name', 'carrier', 'policy_number', 'overall_limit', 'archived']),
  own('maintenance', 'exported by this service', ['id', 'item_id', 'title', 'status', ...times], { item: ['item_id'] }),
  own('items', 'with their values, exported by this service', ['item_id', 'current_estimated_value', 'value_source'], {
    key: ['item_id'],
  }),
  own('assignments', 'from the list of a policy’s items', ['item_id', 'item_name', 'declared_value', 'is_primary'], {
    key: ['external_key'],
    item: ['item_id'],
  }),
]

/** Finds out by its header which file of this service a file is. @returns undefined for another file
 * @throws MappingRefused for a file of this service that has records of another kind */
export function ownFile(kind: Kind['name'], header: readonly string[]): Tool | undefined {
  const found = ownFiles.filter(({ has }) => has.every((name) => header.some((theirs) => theirs.trim() === name)))
  const own = found.find((file) => file.kind === kind)
  const [other] = found
  if (own || !other) return own
  throw new MappingRefused(`the file has ${other.kind} ${other.title}, and no ${kind}`, `Import it as ${other.kind}.`)
}

/** The known tools, by their names in --from. */
export const tools: Readonly<Record<string, Tool>> = { 'snipe-it': snipeIt, homebox, sortly, cheqroom, rentman }

/** A tool's meaning of a column's name; else undefined. @param option tool in --from; else any */
export function knownAs(kind: string, name: string, option?: string): string | undefined {
  for (const [key, tool] of Object.entries(tools)) {
    if (tool.kind !== kind || (option !== undefined && key !== option)) continue
    const found = Object.entries(tool.columns).find(([, { from }]) => from.some((theirs) => sameName(theirs, name)))
    if (found !== undefined) return found[0]
  }
  return undefined
}

/** The tool whose key and at least three more columns a header has. A header with our key is none of a tool. */
export function looksLike(kind: string, header: readonly string[]): { option: string; title: string } | undefined {
  if (header.some((name) => sameName(name, 'external_key'))) return undefined
  const scored = Object.entries(tools)
    .filter(([, tool]) => tool.kind === kind)
    .map(([option, tool]) => {
      const has = (theirs: string) => header.some((name) => sameName(name, theirs))
      const keyed = tool.columns.external_key?.from.some(has) ?? false
      const theirs = [tool.only?.column ?? [], ...Object.values(tool.columns).map(({ from }) => from)].flat()
      return { option, title: tool.title, score: keyed ? new Set(theirs.filter(has)).size : 0 }
    })
    .sort((a, b) => b.score - a.score)
  const [best] = scored
  return best !== undefined && best.score >= 4 ? best : undefined
}
