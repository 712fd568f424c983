/** The lists that a client holds a copy of, with the name that a removal has for each. */
export const lists = [
  ['item', '/items'],
  ['valuation', '/valuations'],
  ['location', '/locations'],
  ['maintenance', '/maintenance'],
  ['policy', '/policies'],
] as const

export type Resource = (typeof lists)[number][0]

/** A studio's data: the JSON text of each record as it was answered, by resource and id. */
export type Copy = Record<Resource, Map<string, string>>

/** A removal names no valuation, which goes with its item. */
export type Removal = { resource: Exclude<Resource, 'valuation'>; id: string }

export type ClientOptions = {
  perPage?: number
  /** Where to ask this time, with `/v1`; a client may be answered by any instance. */
  baseUrl(): string
  token: string
  /** Waits between two pages. */
  pause?(): Promise<unknown>
  /** Looks at removals before they are applied. */
  witness?(): Promise<(removals: Removal[]) => Promise<void>>
}

export type SyncClient = {
  /** One poll: afterwards the copy is that of the moment at which it began, or later. */
  poll(): Promise<void>
  copy: Copy
  /** The moment that it will ask from; undefined when it will read everything. */
  since(): string | undefined
  counts: { polls: number; requests: number; records: number; removals: number; fullReadings: number }
}

const emptyCopy = () => Object.fromEntries(lists.map(([resource]) => [resource, new Map()])) as Copy

/** Holds a copy of a studio's data by the documented cycle. */
export function createSyncClient(options: ClientOptions): SyncClient {
  const { perPage = 100 } = options
  const counts = { polls: 0, requests: 0, records: 0, removals: 0, fullReadings: 0 }
  /** The moment to ask from. */
  let since: string | undefined

  const get = (path: string) => {
    counts.requests += 1
    return request(options.baseUrl() + path, options.token)
  }

  /** Reads a list to its end; gives the header of its first page. Undefined: removals are not
   * known since then. */
  async function walk(path: string, take: (page: Page) => unknown): Promise<Read | undefined> {
    let watermark: string | null | undefined
    for (let next: string | null = path; next !== null; ) {
      const page: Page | undefined = await get(next)
      if (page === undefined) return undefined
      await take(page)
      if (watermark === undefined) watermark = page.watermark
      next = page.next
      if (next !== null) await options.pause?.()
    }
    return { watermark: watermark ?? null }
  }

  /** Reads all lists into a copy; gives the header of the first page of the first of them. */
  async function readLists(copy: Copy, filter: string): Promise<string | null> {
    let watermark: string | null | undefined
    for (const [resource, path] of lists) {
      const read = await walk(`${path}?per_page=${perPage}${filter}`, ({ records }) => {
        for (const { id, text } of records) copy[resource].set(id, text)
        counts.records += records.length
      })
      if (watermark === undefined) watermark = read?.watermark
    }
    return watermark ?? null
  }

  async function readRemovals(): Promise<Read | undefined> {
    const before = async () => (await options.witness?.()) ?? (async () => undefined)
    let applied = await before()
    return walk(`/removals?per_page=${perPage}&updated_since=${since}`, async ({ records }) => {
      const removals = records.map(({ text }) => JSON.parse(text) as Removal)
      await applied(removals)
      for (const { resource, id } of removals) {
        client.copy[resource].delete(id)
        if (resource === 'item') client.copy.valuation.delete(id)
      }
      counts.removals += removals.length
      applied = await before()
    })
  }

  async function readEverything(): Promise<string | null> {
    counts.fullReadings += 1
    const copy = emptyCopy()
    const watermark = await readLists(copy, '')
    client.copy = copy
    return watermark
  }

  async function readChanges(): Promise<string | null> {
    const filter = `&updated_since=${since}`
    const removed = await readRemovals()
    if (removed === undefined) return readEverything()
    await readLists(client.copy, filter)
    return removed.watermark
  }

  const client: SyncClient = {
    copy: emptyCopy(),
    counts,
    since: () => since,
    async poll() {
      since = (since === undefined ? await readEverything() : await readChanges()) ?? undefined
      counts.polls += 1
    },
  }
  return client
}

/** The poller of no-code tools: asks from the newest `updated_at` that it has seen, and learns
 * of no removal. */
export function createPlainPoller({ perPage = 100, baseUrl, token }: ClientOptions): SyncClient {
  const counts = { polls: 0, requests: 0, records: 0, removals: 0, fullReadings: 0 }
  const copy = emptyCopy()
  const newest = { item: '1970-01-01T00:00:00Z', valuation: '1970-01-01T00:00:00Z' }
  async function pollList(resource: 'item' | 'valuation', path: string) {
    for (let next: string | null = `${path}?per_page=${perPage}&updated_since=${newest[resource]}`; next !== null; ) {
      const page: Page | undefined = await request(baseUrl() + next, token)
      counts.requests += 1
      for (const { id, text } of page?.records ?? []) {
        copy[resource].set(id, text)
        counts.records += 1
        const { updated_at } = JSON.parse(text)
        if (updated_at > newest[resource]) newest[resource] = updated_at
      }
      next = page?.next ?? null
    }
  }
  return {
    copy,
    counts,
    since: () => Object.values(newest).join(' '),
    async poll() {
      await pollList('item', '/items')
      await pollList('valuation', '/valuations')
      counts.polls += 1
    },
  }
}

/** What a client remembers of a list that it has read. */
type Read = { watermark: string | null }

type Page = {
  records: { id: string; text: string }[]
  watermark: string | null
  /** The path and query of the next page, by its cursor. */
  next: string | null
}

/** Undefined for a 410: everything is to be read again. */
async function request(url: string, token: string): Promise<Page | undefined> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } })
  const text = await response.text()
  if (response.status === 410) return undefined
  if (response.status !== 200) throw new Error(`GET ${url}: ${response.status} ${text}`)
  const body = JSON.parse(text) as { data: { id?: string; item_id: string }[] }
  const texts = elementsOf(text)
  if (texts.length !== body.data.length)
    throw new Error(`GET ${url}: ${texts.length} texts of ${body.data.length} records`)
  const link = /^<[^>]*?\/v1([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')
  return {
    records: body.data.map(({ id, item_id }, index) => ({ id: id ?? item_id, text: texts[index] ?? '' })),
    watermark: response.headers.get('next-updated-since'),
    next: link?.[1] ?? null,
  }
}

/** The elements of `data` in the text of a list, exactly as written there. */
function elementsOf(body: string): string[] {
  const elements: string[] = []
  const begin = body.indexOf('[')
  let depth = 0
  let from = 0
  // A string, whatever is in it, or a bracket.
  for (const { 0: mark, index } of body.slice(begin).matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (mark === '[' || mark === '{') {
      depth += 1
      if (depth === 2) from = index
    } else if (mark === ']' || mark === '}') {
      depth -= 1
      if (depth === 1) elements.push(body.slice(begin + from, begin + index + 1))
      if (depth === 0) break
    }
  }
  return elements
}
