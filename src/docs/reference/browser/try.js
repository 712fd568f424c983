import { inLines, showWithLinks } from './json.js'
import { token } from './token.js'

/** The response headers that tell the reader what to do next. */
const shownHeaders = [
  'X-Ignored-Parameters',
  ...['ETag', 'Link', 'Next-Updated-Since', 'RateLimit', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
]

for (const form of document.querySelectorAll('form.try')) {
  form.addEventListener('input', () => updateSamples(form))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    send(form)
  })
}

const fieldsOf = (form, where) => [...form.querySelectorAll(`[data-in="${where}"]`)]

/** The address with the typed values, unchecked: the service reports what is wrong. */
function addressOf(form, template) {
  let address = template
  for (const { name, value } of fieldsOf(form, 'path')) address = address.replace(`{${name}}`, encode(value))
  const query = fieldsOf(form, 'query').filter(({ value }) => value !== '')
  return address + query.map(({ name, value }, index) => `${index ? '&' : '?'}${name}=${encode(value)}`).join('')
}

/** Also encodes the apostrophe, which ends strings in the samples. */
const encode = (text) => encodeURIComponent(text).replaceAll("'", '%27')

function headersOf(form) {
  const given = fieldsOf(form, 'header').filter(({ value }) => value !== '')
  return Object.fromEntries(given.map(({ name, value }) => [name, value]))
}

function updateSamples(form) {
  const samples = form.closest('.samples')
  for (const place of samples.querySelectorAll('[data-address]')) {
    place.textContent = addressOf(form, form.dataset.shown)
  }
  const tag = headersOf(form)['If-None-Match'] ?? ''
  for (const place of samples.querySelectorAll('[data-header]')) {
    // Quotes and backslashes would have to be escaped in the sample, so none is allowed.
    place.textContent = tag === '' || /['\\]/.test(tag) ? '' : place.dataset.header.replace('{}', () => tag)
  }
}

async function send(form) {
  const said = form.querySelector('[role=status]')
  const button = form.querySelector('button')
  // The browser can reach the service only under the name in the address bar.
  const asked = new URL(addressOf(form, form.dataset.path), location.origin).href
  button.setAttribute('aria-disabled', 'true')
  said.textContent = 'Sent'
  const started = performance.now()
  try {
    const headers = headersOf(form)
    if (token() !== '') headers.Authorization = `Bearer ${token()}`
    const response = await fetch(asked, { headers, credentials: 'omit', cache: 'no-store', redirect: 'manual' })
    const body = await response.text()
    if (response.ok) offerId(form.dataset.path, body)
    show(form, { asked, response, body, ms: Math.round(performance.now() - started) })
    said.textContent = `Response: ${response.status}`
  } catch (error) {
    showFailure(form, asked, error)
    said.textContent = 'No response'
  }
  button.removeAttribute('aria-disabled')
}

function show(form, { asked, response, body, ms }) {
  const { status, statusText, ok, headers } = response
  const line = make('p', 'line', `${status} ${statusText}`.trim())
  line.dataset.good = String(ok || status === 304)
  line.append(make('span', '', `${ms} ms · ${sizeOf(body)}`))
  const known = shownHeaders.filter((name) => headers.has(name)).map((name) => `${name}: ${headers.get(name)}`)
  const parts = [line, make('p', 'asked', `GET ${asked}`)]
  if (body !== '') parts.push(code('Body', inLines(body)))
  fill(form, [...parts, code('Headers', known.join('\n'))])
}

/** Puts the id of a list's first record into the forms that ask for one of these records. */
function offerId(path, body) {
  const [, id] = /^\{"data":\[\{"id":"([0-9a-f-]{36})"/.exec(body) ?? []
  if (id === undefined) return
  for (const form of document.querySelectorAll('form.try')) {
    const input = form.querySelector('[data-in=path][name=id]')
    if (!input || !form.dataset.path.startsWith(`${path}/`)) continue
    input.value = id
    updateSamples(form)
  }
}

function showFailure(form, asked, error) {
  const line = make('p', 'line', 'No response')
  line.dataset.good = 'false'
  fill(form, [line, make('p', 'asked', `GET ${asked}`), make('p', '', error.message)])
}

function fill(form, parts) {
  const place = form.querySelector('.answer')
  place.replaceChildren(...parts)
  place.hidden = false
}

function sizeOf(text) {
  const bytes = new TextEncoder().encode(text).length
  return bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} kB`
}

function make(name, className, text) {
  const element = document.createElement(name)
  element.className = className
  element.textContent = text
  return element
}

/** A block of code with its button, as elsewhere on the page. */
function code(label, text) {
  const block = make('div', 'code', '')
  const button = make('button', 'copy', '')
  button.type = 'button'
  button.dataset.copy = ''
  const said = make('span', '', 'Copy')
  said.dataset.said = ''
  button.append(said, make('span', 'spoken', ` ${label} of the response`))
  const heard = make('span', 'spoken', '')
  heard.setAttribute('role', 'status')
  const pre = make('pre', '', '')
  pre.tabIndex = 0
  pre.setAttribute('role', 'group')
  pre.setAttribute('aria-label', `${label} of the response`)
  const content = document.createElement('code')
  showWithLinks(content, text)
  pre.append(content)
  block.append(make('p', 'label', label), button, heard, pre)
  return block
}
