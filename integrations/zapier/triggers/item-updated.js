const { recent } = require('../pages')

/** Newest update first, as Zapier wants it. */
const perform = async (z, { authData, inputData, meta }) => {
  const params = {}
  if (inputData.category) params.category = inputData.category
  if (inputData.coverage_state) params.coverage_state = inputData.coverage_state
  return recent(z, `${authData.base_url}/v1/items`, params, 'updated_at', meta)
}

module.exports = {
  key: 'item_updated',
  noun: 'Item',
  display: { label: 'Item Updated', description: 'Triggers when an item is added or anything of it changes.' },
  operation: {
    type: 'polling',
    inputFields: [
      { key: 'category', label: 'Category', helpText: 'Only items of this category, for example Microphones.' },
      {
        key: 'coverage_state',
        label: 'Coverage State',
        choices: ['fully_covered', 'under_covered', 'uninsured', 'value_unknown'],
        helpText: 'Only items in this state.',
      },
    ],
    perform,
    // Both together say whether Zapier has seen it: an item that changes again comes again.
    outputFields: [
      { key: 'id', label: 'Id', primary: true },
      { key: 'updated_at', label: 'Updated At', type: 'datetime', primary: true },
      { key: 'name', label: 'Name' },
      { key: 'category', label: 'Category' },
      { key: 'serial_number', label: 'Serial Number' },
      { key: 'barcode', label: 'Barcode' },
      { key: 'purchase_price', label: 'Purchase Price', type: 'number' },
      { key: 'reported_insured_value', label: 'Reported Insured Value', type: 'number' },
    ],
    sample: {
      id: 'd5bf16cc-0456-4f93-88e8-26965e5cd1af',
      updated_at: '2026-03-02T08:42:28.740Z',
      name: 'DW Collectors Series 22/10/12/16',
      category: 'Drums & Percussion',
      serial_number: 'DW9971454',
      barcode: 'NL-1130',
      purchase_price: 5990,
      reported_insured_value: 0,
    },
  },
}
