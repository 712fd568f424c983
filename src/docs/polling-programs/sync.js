// Updates copy.json, a copy of a studio's data: TOKEN=svc_studio_… node sync.mjs
import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const api = 'https://api.example.com/v1'
const headers = { Authorization: `Bearer ${process.env.TOKEN}` }
const lists = {
  item: ['items', 'valuations'],
  location: ['locations'],
  maintenance: ['maintenance'],
  policy: ['policies'],
}
const all = Object.values(lists).flat()
const moments = []

/** All records of a list; null when the API no longer knows the removals since that moment. */
async function read(list, since) {
  const records = []
  let url = `${api}/${list}?per_page=100${since ? `&updated_since=${since}` : ''}`
  while (url) {
    const response = await fetch(url, { headers })
    if (response.status === 429 || response.status === 503) {
      await sleep(1000 * response.headers.get('Retry-After'))
      continue
    }
    if (response.status === 410) return null
    const body = await response.json()
    if (!response.ok) throw new Error(`${body.code} ${body.request_id}: ${body.detail}`)
    moments.push(response.headers.get('Next-Updated-Since'))
    records.push(...body.data)
    url = response.headers.get('Link')?.match(/<(.*)>; rel="next"/)?.[1]
  }
  return records
}

let copy = JSON.parse(await readFile('copy.json', 'utf8').catch(() => '{}'))
const removed = copy.since ? await read('removals', copy.since) : null
if (removed === null) copy = Object.fromEntries(all.map((list) => [list, {}]))
for (const { resource, id } of removed ?? []) for (const list of lists[resource] ?? []) delete copy[list][id]
for (const list of all) {
  for (const record of await read(list, copy.since)) copy[list][record.id ?? record.item_id] = record
}
copy.since = moments[0]
await writeFile('copy.json.new', JSON.stringify(copy))
await rename('copy.json.new', 'copy.json')
