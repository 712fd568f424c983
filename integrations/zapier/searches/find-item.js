/** The item with this id, or those with exactly this barcode and serial number, each with its valuation. */
const perform = async (z, { authData, inputData }) => {
  const items = `${authData.base_url}/v1/items`
  const detail = async (id) => {
    const response = await z.request({ url: `${items}/${encodeURIComponent(id)}`, skipThrowForStatus: true })
    if (response.status === 404) return []
    response.throwForStatus()
    return [response.data.data]
  }
  if (inputData.id) return detail(inputData.id)
  // An empty filter is an error to the API, not an absent one.
  const filled = ['barcode', 'serial_number'].filter((name) => inputData[name])
  if (filled.length === 0) throw new z.errors.HaltedError('Give an id, a barcode or a serial number.')
  const params = Object.fromEntries(filled.map((name) => [name, inputData[name]]))
  const found = (await z.request({ url: items, params: { ...params, per_page: 5 } })).data.data
  const details = []
  for (const { id } of found) details.push(...(await detail(id)))
  return details
}

module.exports = {
  key: 'find_item',
  noun: 'Item',
  display: { label: 'Find Item', description: 'Finds an item by its id, barcode or serial number.' },
  operation: {
    inputFields: [
      { key: 'id', label: 'Id', helpText: 'If given, the others are ignored.' },
      { key: 'barcode', label: 'Barcode' },
      { key: 'serial_number', label: 'Serial Number' },
    ],
    perform,
    sample: {
      id: 'd5bf16cc-0456-4f93-88e8-26965e5cd1af',
      name: 'DW Collectors Series 22/10/12/16',
      serial_number: 'DW9971454',
      barcode: 'NL-1130',
      coverage_state: 'uninsured',
      current_estimated_value: 5990,
    },
  },
}
