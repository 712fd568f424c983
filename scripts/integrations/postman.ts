import { type Collection, type CollectionRequest, firstOf } from './requests.ts'

/** Runs after each request. If the service says "too fast", it is sent again when the service
 * says. */
const afterEach = `
if (pm.response.code === 429 || pm.response.code === 503) {
  setTimeout(() => {}, 1000 * Number(pm.response.headers.get('Retry-After')))
  pm.execution.setNextRequest(pm.info.requestId)
} else {
  pm.test(pm.info.requestName + ' answers 200', () => pm.response.to.have.status(200))
}`

const nextSince = `response.headers.get('Next-Updated-Since')`
const firstId = 'response.json().data[0]?.id'

/** Runs before a request whose variable nobody has set. It takes the value from the list. */
const find = (list: string, variable: string) => `
if (!pm.variables.get('${variable}')) {
  const url = pm.variables.replaceIn('{{base_url}}/v1${list}?per_page=1')
  const header = { Authorization: pm.variables.replaceIn('Bearer {{token}}') }
  pm.sendRequest({ url, header }, (error, response) => {
    const value = response?.code === 200 && ${variable === 'updated_since' ? nextSince : firstId}
    if (value) pm.collectionVariables.set('${variable}', value)
  })
}`

/** Runs after a list. It keeps the id for the requests by id, and the moment to poll from. */
const keep = (variable: string) => `
const { response } = pm
if (response.code === 200) {
  const id = ${firstId}
  if (id) pm.collectionVariables.set('${variable}', id)
  if (!pm.variables.get('updated_since')) pm.collectionVariables.set('updated_since', ${nextSince})
}`

const script = (listen: 'prerequest' | 'test', text: string) => ({
  listen,
  script: { type: 'text/javascript', exec: text.trim().split('\n') },
})

/** A collection in Postman's format 2.1. A reader only has to set `base_url` and `token`. */
export function postmanCollection({ title, summary, requests }: Collection): object {
  return {
    info: {
      _postman_id: '5c1c7d0a-2f0e-4f0b-9a53-6a3f0d2b7e11',
      name: title,
      description: `${summary}\n\nSet the variables base_url and token; the other variables fill themselves.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    event: [script('test', afterEach)],
    variable: [
      { key: 'base_url', value: 'http://localhost:3000', description: 'Where the service is, without /v1' },
      { key: 'token', value: '', description: 'svc_…, from the console' },
      { key: 'updated_since', value: '', description: 'Empty: the moment of the first list' },
      { key: 'item_id', value: '', description: 'Empty: the item that was updated last' },
      { key: 'policy_id', value: '', description: 'Empty: the policy that began last' },
    ],
    item: requests.map(itemOf),
  }
}

function itemOf({ name, path, description, id, query }: CollectionRequest): object {
  const list = Object.entries(firstOf).find(([, variable]) => variable === id)?.[0]
  const kept = firstOf[path as keyof typeof firstOf]
  const segments = path.slice(1).split('/')
  const shown = segments.map((segment) => (segment === '{id}' ? `{{${id}}}` : segment))
  const enabled = query
    .filter((parameter) => parameter.enabled)
    .map((parameter) => `${parameter.name}=${parameter.value}`)
  return {
    name,
    event: [
      ...(id && list ? [script('prerequest', find(list, id))] : []),
      ...(query.some(({ enabled }) => enabled) ? [script('prerequest', find('/items', 'updated_since'))] : []),
      ...(kept ? [script('test', keep(kept))] : []),
    ],
    request: {
      method: 'GET',
      description,
      header: [],
      url: {
        raw: `{{base_url}}/v1/${shown.join('/')}${enabled.length > 0 ? `?${enabled.join('&')}` : ''}`,
        host: ['{{base_url}}'],
        path: ['v1', ...shown],
        query: query.map((parameter) => ({
          key: parameter.name,
          value: parameter.value,
          description: parameter.description,
          disabled: !parameter.enabled,
        })),
      },
    },
  }
}
