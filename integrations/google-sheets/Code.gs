/**
 * Writes all items of the studio into the sheet "Items", one row each: Extensions › Apps Script, then run refreshItems.
 * The address and the token are script properties (Project settings): API_URL and TOKEN.
 */
function refreshItems() {
  const fields = ['id', 'name', 'category', 'serial_number', 'purchase_price', 'reported_insured_value', 'updated_at']
  const rows = readList('items').map((item) => fields.map((field) => item[field] ?? ''))
  const book = SpreadsheetApp.getActiveSpreadsheet()
  const sheet = book.getSheetByName('Items') || book.insertSheet('Items')
  sheet.clearContents()
  const range = sheet.getRange(1, 1, rows.length + 1, fields.length)
  // As they are: a serial number keeps its zeros, and a name that begins with = is no formula.
  const formats = fields.map((field) => (/price|value/.test(field) ? '0.00' : '@'))
  range.setNumberFormats([fields, ...rows].map(() => formats))
  range.setValues([fields, ...rows])
  return rows.length
}

/** All pages of a list, by the Link header; waits as long as a 429 or 503 says. */
function readList(list) {
  const properties = PropertiesService.getScriptProperties()
  const options = {
    headers: { Authorization: `Bearer ${properties.getProperty('TOKEN')}` },
    muteHttpExceptions: true,
  }
  const records = []
  let url = `${properties.getProperty('API_URL')}/v1/${list}?per_page=100`
  while (url) {
    const response = UrlFetchApp.fetch(url, options)
    const headers = lowerCased(response.getHeaders())
    const status = response.getResponseCode()
    if (status === 429 || status === 503) {
      Utilities.sleep(1000 * Number(headers['retry-after']))
      continue
    }
    const body = JSON.parse(response.getContentText())
    if (status !== 200) throw new Error(`${body.code}: ${body.detail} (${body.request_id})`)
    records.push(...body.data)
    url = /<([^>]+)>; rel="next"/.exec(headers.link || '')?.[1]
  }
  return records
}

/** Apps Script gives headers as the server or a proxy has written them. */
function lowerCased(headers) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** A menu in the sheet. */
function onOpen() {
  SpreadsheetApp.getUi().createMenu('Inventory').addItem('Refresh items', 'refreshItems').addToUi()
}
