const api = 'https://api.example.com/v1'
const headers = { Authorization: `Bearer ${process.env.TOKEN}` }
const fiveMinutes = 300_000
// Keep this between runs: the newest change of the last complete reading, and what was seen of each item.
const state = { newest: '2026-03-01T00:00:00.000Z', seen: {} }

async function poll(handle) {
  const since = new Date(Date.parse(state.newest) - fiveMinutes).toISOString()
  let { newest } = state
  for (let page = 1; page !== null; ) {
    const query = new URLSearchParams({ updated_since: since, per_page: 50, page })
    const response = await fetch(`${api}/items?${query}`, { headers })
    const body = await response.json()
    if (!response.ok) throw new Error(`${body.code} ${body.request_id}: ${body.detail}`)
    for (const item of body.data) {
      if (state.seen[item.id] === item.updated_at) continue
      await handle(item)
      state.seen[item.id] = item.updated_at
      if (item.updated_at > newest) newest = item.updated_at
    }
    page = body.meta.next_page
  }
  // Newest came first: only now is nothing older missing.
  state.newest = newest
}

await poll((item) => console.log('changed:', item.id, item.name))
