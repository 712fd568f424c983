const api = 'https://api.example.com/v1'
const headers = { Authorization: `Bearer ${process.env.TOKEN}` }

for (let page = 1; page !== null; ) {
  const response = await fetch(`${api}/items?per_page=100&page=${page}`, { headers })
  const body = await response.json()
  if (!response.ok) throw new Error(`${body.code} ${body.request_id}: ${body.detail}`)
  for (const item of body.data) console.log(item.id, item.name)
  page = body.meta.next_page
}
