/** A poll reads the changes of this time: Zapier keeps nothing between two polls, and forgets what it has seen before. */
const hours = 24

/** 10,000 records, in about 20 seconds: a poll may take 30. */
const mostPages = 100

/** Pages of a list follow each other no faster than 10 a second, the limit of the Pro plans. */
const pauseMs = 110

/** The records of a list that changed in the last day, newest first, page after page by `Link`. For a sample, the newest. */
const recent = async (z, url, params, { isLoadingSample } = {}) => {
  const since = new Date(Date.now() - hours * 3_600_000).toISOString()
  const sought = { ...params, per_page: 100, ...(isLoadingSample ? {} : { updated_since: since }) }
  let response = await z.request({ url, params: sought })
  const records = [...response.data.data]
  for (let page = 1; page < mostPages && !isLoadingSample; page++) {
    const next = /<([^>]+)>; rel="next"/.exec(response.getHeader('link') ?? '')?.[1]
    if (next === undefined) break
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    response = await z.request({ url: next })
    records.push(...response.data.data)
  }
  return records
}

module.exports = { recent }
