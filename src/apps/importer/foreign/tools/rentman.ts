import type { Tool } from '../mapping.ts'

/**
 * The export of equipment, in English. With serialized equipment each row is one piece, and the columns of the piece end in
 * "(Serial number)"; those of other equipment have a row for all pieces.
 *
 * https://support.rentman.io/hc/en-us/articles/24320695034642,
 * https://support.rentman.io/hc/en-us/articles/36084108749842 (ID),
 * https://support.rentman.io/hc/en-us/articles/360013086279 (fields of a serial number, which the columns are named after),
 * https://support.rentman.io/hc/en-us/articles/13141562920338 (folder, location in warehouse),
 * https://support.rentman.io/hc/en-us/articles/360013580119 (list price)
 */
export const rentman: Tool = {
  title: 'Rentman',
  kind: 'items',
  remark: 'Export serialized equipment with its serial numbers, so that each row is one piece.',
  columns: {
    external_key: { from: ['Internal reference (Serial number)', 'Serial number (Serial number)', 'Code', 'ID'] },
    name: { from: ['Name (In Database)', 'Name'] },
    serial_number: { from: ['Serial number (Serial number)', 'Serial number'] },
    barcode: { from: ['QR codes (Serial number)', 'QR codes', 'QR code'] },
    category: { from: ['Folder', 'Category'] },
    location: { from: ['Location in default stock location', 'Location in warehouse'] },
    purchase_price: { from: ['Purchase price (Serial number)', 'Purchase price', 'List price'] },
    acquisition_date: { from: ['Date of purchase (Serial number)', 'Date of purchase'] },
  },
  ignored: [],
}
