import type { Tool } from '../mapping.ts'

/**
 * The export as CSV or XLSX: fixed columns, folders by level, then the custom fields. Folders have rows of their own. Sortly publishes
 * no list of the columns; these are as public programs that read such files have them, for example
 * https://github.com/search?type=code&q=%22Sortly+ID+%28SID%29%22+%22Barcode%2FQR1-Data%22, and of the custom fields those that Sortly
 * suggests.
 */
export const sortly: Tool = {
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
    tags: { from: ['Tags'] },
    location: {
      from: ['Primary Folder', 'Subfolder-level1', 'Subfolder-level2', 'Subfolder-level3', 'Subfolder-level4'],
      joined: ' / ',
    },
    purchase_price: { from: ['Buy Price', 'Price'] },
    acquisition_date: { from: ['Purchase Date'] },
  },
  ignored: [],
  only: { column: 'Entry Type', values: ['Item'] },
  quantity: 'Quantity',
}
