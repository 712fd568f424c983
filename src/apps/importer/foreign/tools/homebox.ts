import type { Tool } from '../mapping.ts'

/**
 * The export as CSV, also of earlier versions (`HB.labels`, `HB.purchase_time`).
 *
 * https://github.com/sysadminsmedia/homebox/blob/main/backend/internal/core/services/reporting/io_row.go
 */
export const homebox: Tool = {
  title: 'Homebox',
  kind: 'items',
  remark: 'Its dates and decimals are ours. Categories are not among its columns; tags are.',
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
    archived: { from: ['HB.archived'] },
  },
  ignored: [],
  quantity: 'HB.quantity',
}
