import type { Tool } from '../mapping.ts'

/**
 * The export of the list of assets, and the custom asset report, in English.
 *
 * https://github.com/grokability/snipe-it/blob/master/app/Presenters/AssetPresenter.php,
 * https://github.com/grokability/snipe-it/blob/master/app/Http/Controllers/ReportsController.php (postCustom), with the words of
 * https://github.com/snipe/snipe-it/blob/master/resources/lang/en/admin/hardware/table.php
 */
export const snipeIt: Tool = {
  title: 'Snipe-IT',
  kind: 'items',
  remark: 'The export of the list of assets, or a custom asset report, in English.',
  columns: {
    external_key: { from: ['Asset Tag'] },
    // An asset without a name is shown by its model.
    name: { from: ['Asset Name', 'Item Name', 'Model', 'Model Name'] },
    manufacturer: { from: ['Manufacturer'] },
    model: { from: ['Model', 'Model Name', 'Model No.', 'Model Number'] },
    serial_number: { from: ['Serial', 'Serial Number'] },
    category: { from: ['Category'] },
    location: { from: ['Default Location', 'Location'] },
    purchase_price: { from: ['Cost', 'Purchase Cost'] },
    acquisition_date: { from: ['Purchased', 'Purchase Date'] },
  },
  ignored: [],
}
