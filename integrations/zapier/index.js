const { version: platformVersion } = require('zapier-platform-core')
const { version } = require('./package.json')
const authentication = require('./authentication')
const itemUpdated = require('./triggers/item-updated')
const itemRemoved = require('./triggers/item-removed')
const findItem = require('./searches/find-item')

/** Every request carries the token. */
const withToken = (request, _z, { authData }) => {
  request.headers.Authorization = `Bearer ${authData.token}`
  return request
}

/** Zapier repeats what is throttled after that many seconds. */
const whenThrottled = (response, z) => {
  if (response.status === 429 || response.status === 503) {
    throw new z.errors.ThrottledError(response.json.detail, Number(response.getHeader('retry-after')))
  }
  return response
}

module.exports = {
  version,
  platformVersion,
  authentication,
  beforeRequest: [withToken],
  afterResponse: [whenThrottled],
  triggers: { [itemUpdated.key]: itemUpdated, [itemRemoved.key]: itemRemoved },
  searches: { [findItem.key]: findItem },
}
