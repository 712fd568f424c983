import { type Collection, type CollectionRequest, firstOf } from './requests.ts'

/** `afterEach` of Postman's collection does the same: if the service says "too fast", the request is
 * sent again when it says. */
const afterEach = `
if (res.status === 429 || res.status === 503) {
  await bru.sleep(1000 * Number(res.getHeader('retry-after')))
  bru.setNextRequest(req.getName())
}`

/** Runs before a request whose variable nobody has set. It takes the value from the list. */
const find = (list: string, variable: string) => `
if (!bru.getVar('${variable}')) {
  const { data, headers } = await bru.sendRequest({
    method: 'GET',
    url: bru.interpolate('{{base_url}}/v1${list}?per_page=1'),
    headers: { Authorization: bru.interpolate('Bearer {{token}}') },
  })
  const value = ${variable === 'updated_since' ? "headers['next-updated-since']" : 'data.data[0]?.id'}
  if (value) bru.setVar('${variable}', value)
}`

/** Runs after a list. It keeps the id for the requests by id, and the moment to poll from. */
const keep = (variable: string) => `
if (res.status === 200) {
  if (res.body.data.length > 0) bru.setVar('${variable}', res.body.data[0].id)
  if (!bru.getVar('updated_since')) bru.setVar('updated_since', res.getHeader('next-updated-since'))
}`

const assertion = (name: string) => `
if (res.status !== 429 && res.status !== 503) {
  test('${name} answers 200', () => expect(res.status).to.equal(200))
}`

const indented = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n')
const block = (name: string, text: string) => `${name} {\n${indented(text)}\n}\n`

/** A collection as Bruno keeps it: text files by their path in its folder. */
export function brunoFiles({ title, summary, requests }: Collection): Record<string, string> {
  const manifest = { version: '1', name: title, type: 'collection', ignore: ['node_modules', '.git'] }
  const docs = `${summary}\n\nChoose the environment "Service" and set its base_url and token; the other variables fill themselves.`
  return {
    'bruno.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'collection.bru': [
      block('auth', 'mode: bearer'),
      block('auth:bearer', 'token: {{token}}'),
      block('script:post-response', afterEach),
      block('docs', docs),
    ].join('\n'),
    'environments/Service.bru': `${block('vars', 'base_url: http://localhost:3000')}vars:secret [\n  token\n]\n`,
    ...Object.fromEntries(requests.map((request, index) => [`${fileName(request)}.bru`, fileOf(request, index + 1)])),
  }
}

const fileName = ({ name }: CollectionRequest) => name.replaceAll(/[^\w -]/g, '')

function fileOf(request: CollectionRequest, seq: number): string {
  const { name, path, description, id, query } = request
  const list = Object.entries(firstOf).find(([, variable]) => variable === id)?.[0]
  const kept = firstOf[path as keyof typeof firstOf]
  const used = query.filter(({ enabled }) => enabled).map((parameter) => `${parameter.name}=${parameter.value}`)
  const url = `{{base_url}}/v1${path.replace('{id}', `{{${id}}}`)}${used.length > 0 ? `?${used.join('&')}` : ''}`
  const parameters = query.map((parameter) => `${parameter.enabled ? '' : '~'}${parameter.name}: ${parameter.value}`)
  return [
    block('meta', `name: ${name}\ntype: http\nseq: ${seq}`),
    block('get', `url: ${url}\nbody: none\nauth: inherit`),
    ...(query.length > 0 ? [block('params:query', parameters.join('\n'))] : []),
    ...(id && list ? [block('script:pre-request', find(list, id))] : []),
    ...(used.length > 0 ? [block('script:pre-request', find('/items', 'updated_since'))] : []),
    ...(kept ? [block('script:post-response', keep(kept))] : []),
    block('tests', assertion(name)),
    block('docs', description),
  ].join('\n')
}
