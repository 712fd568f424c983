import type { Tool } from '../mapping.ts'

/**
 * The export as CSV or XLSX: fixed columns, folders by level, then the custom fields, of which those that Sortly suggests are known.
 * Folders have rows of their own.
 *
 * https://help.sortly.com (Exporting your inventory); the columns as those who read such files list them:
 * https://github.com/search?q=%22Sortly+ID+%28SID%29%22+%22Barcode%2FQR1-Data%22&type=code
 */
export const sortly: Tool = {
  title: 'Sortly',
  kind: 'items',
  columns: {
    external_key: { from: ['Sortly ID (SID)', 'Sortly ID', 'SID'] },
    name: { from: ['Entry Name'] },
    manufacturer: { from: ['Manufacturer', 'Make'] },
    model: { from: ['Model/Part Number', 'Model'] },
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
