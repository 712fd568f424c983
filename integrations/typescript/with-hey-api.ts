import { client } from './generated/hey-api/client.gen.js'
import { type ItemSummary, listItems } from './generated/hey-api/index.js'
import { nextCursor, patiently } from './patiently.js'

client.setConfig({ baseUrl: `${process.env.API_URL}/v1`, auth: process.env.TOKEN ?? '', fetch: patiently })

const items: ItemSummary[] = []
let cursor: string | undefined
let total: number
do {
  const query = { per_page: 100, ...(cursor && { cursor }) }
  const { data, error, response } = await listItems({ query })
  if (!data) throw new Error(JSON.stringify(error))
  items.push(...data.data)
  total = data.meta.total
  cursor = response && nextCursor(response)
} while (cursor)

const paid = items.reduce((cents, item) => cents + Math.round(item.purchase_price * 100), 0) / 100
console.log(JSON.stringify({ items: items.length, total, paid }))
