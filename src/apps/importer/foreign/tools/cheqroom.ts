import type { Tool } from '../mapping.ts'

/**
 * The export of the list of items. Whoever exports chooses the fields, which have the names of the item's page; most are custom fields.
 *
 * https://help.cheqroom.com/en/articles/9515671-quick-start-administrator-guide,
 * https://knowledge.cheqroom.com/helpcenter/how-should-i-organize-my-assets
 */
export const cheqroom: Tool = {
  title: 'Cheqroom',
  kind: 'items',
  columns: {
    external_key: { from: ['Asset Tag', 'Asset Tags', 'Code', 'Codes', 'Barcode', 'Barcodes', 'Id'] },
    name: { from: ['Name', 'Item'] },
    manufacturer: { from: ['Brand'] },
    model: { from: ['Model'] },
    serial_number: { from: ['Serial Number', 'Serial'] },
    barcode: { from: ['Barcode', 'Barcodes'] },
    category: { from: ['Category'] },
    location: { from: ['Location', 'Home Location'] },
    purchase_price: { from: ['Purchase Price'] },
    acquisition_date: { from: ['Purchase Date'] },
    residual_value: { from: ['Residual Value'] },
  },
  ignored: [],
  quantity: 'Quantity',
}
