import { setTimeout as sleep } from 'node:timers/promises'

const api = 'https://api.example.com/v1'
const headers = { Authorization: `Bearer ${process.env.TOKEN}` }

for (let url = `${api}/items?per_page=100`; url; ) {
  const response = await fetch(url, { headers })
  if (response.status === 429 || response.status === 503) {
    await sleep(1000 * response.headers.get('Retry-After'))
    continue
  }
  const body = await response.json()
  if (!response.ok) throw new Error(`${body.code} ${body.request_id}: ${body.detail}`)
  for (const item of body.data) console.log(item.id, item.name)
  url = response.headers.get('Link')?.match(/<(.*)>; rel="next"/)?.[1]
}
