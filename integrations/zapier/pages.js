/** A poll reads the changes of this time: Zapier keeps nothing between two polls, and leaves out what it has seen. */
const hours = 24

/** 10,000 records, in about 20 seconds: a poll may take 30. */
const mostPages = 100

/** The pause between two pages: the Pro plans allow 10 requests a second. */
const pauseMs = 110

/** The records of a list that changed in the last day, newest first, page after page by `Link`; for a sample the newest.
 * @param changedAt the field with the moment */
const recent = async (z, url, params, changedAt, { isLoadingSample } = {}) => {
  const since = new Date(Date.now() - hours * 3_600_000).toISOString()
  const records = []
  let response = await z.request({ url, params: { ...params, per_page: 100 } })
  for (let page = 1; ; page++) {
    records.push(...response.data.data)
    const next = /<([^>]+)>; rel="next"/.exec(response.getHeader('link') ?? '')?.[1]
    const isDone = records.length === 0 || records.at(-1)[changedAt] < since
    if (isLoadingSample || isDone || next === undefined || page === mostPages) return records
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    response = await z.request({ url: next })
  }
}

module.exports = { recent }
