import createClient from 'openapi-fetch'
import type { components, paths } from './generated/api.js'
import { nextCursor, patiently } from './patiently.js'

const baseUrl = `${process.env.API_URL}/v1`
const headers = { Authorization: `Bearer ${process.env.TOKEN}` }
const client = createClient<paths>({ baseUrl, headers, fetch: patiently })

const items: components['schemas']['ItemSummary'][] = []
let cursor: string | undefined
let total: number
do {
  const query = { per_page: 100, ...(cursor && { cursor }) }
  const { data, error, response } = await client.GET('/items', { params: { query } })
  if (error) throw new Error(`${error.code} ${error.request_id}: ${error.detail}`)
  items.push(...data.data)
  total = data.meta.total
  cursor = nextCursor(response)
} while (cursor)

const paid = items.reduce((cents, item) => cents + Math.round(item.purchase_price * 100), 0) / 100
console.log(JSON.stringify({ items: items.length, total, paid }))
