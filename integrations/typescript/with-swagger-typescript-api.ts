import { Api, type ItemSummary } from './generated/swagger.js'
import { nextCursor, patiently } from './patiently.js'

const baseApiParams = { headers: { Authorization: `Bearer ${process.env.TOKEN}` } }
const api = new Api({ baseUrl: `${process.env.API_URL}/v1`, baseApiParams, customFetch: patiently })

const items: ItemSummary[] = []
let cursor: string | undefined
let total: number
do {
  const response = await api.items.listItems({ per_page: 100, ...(cursor && { cursor }) })
  items.push(...response.data.data)
  total = response.data.meta.total
  cursor = nextCursor(response)
} while (cursor)

const paid = items.reduce((cents, item) => cents + Math.round(item.purchase_price * 100), 0) / 100
console.log(JSON.stringify({ items: items.length, total, paid }))
