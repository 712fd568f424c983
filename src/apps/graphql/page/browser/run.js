import { ask } from './ask.js'
import { inLines } from './json.js'

const form = document.querySelector('form.ask')
const query = document.getElementById('query')
const variables = document.getElementById('variables')
const example = document.getElementById('example')
const run = document.getElementById('run')
const line = form.querySelector('.line')
const problems = form.querySelector('.problems')
const answer = form.querySelector('[data-example="answer"]')

form.addEventListener('submit', (event) => {
  event.preventDefault()
  send()
})
form.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  send()
})
example.addEventListener('change', () => {
  const { dataset } = example.selectedOptions[0]
  query.value = dataset.query
  variables.value = dataset.variables
})
// The next line begins where this one does. The Tab key moves on, as everywhere.
query.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.shiftKey || event.isComposing) return
  const before = query.value.slice(0, query.selectionStart)
  const [indent] = /[ \t]*/.exec(before.slice(before.lastIndexOf('\n') + 1))
  event.preventDefault()
  // Unlike setting the value it can be undone.
  document.execCommand('insertText', false, `\n${indent}${before.endsWith('{') ? '  ' : ''}`)
})

async function send() {
  if (run.getAttribute('aria-disabled') === 'true') return
  const given = readVariables()
  if (given === undefined) return
  run.setAttribute('aria-disabled', 'true')
  line.dataset.good = ''
  line.textContent = 'Running …'
  const started = performance.now()
  try {
    const { response, text } = await ask(query.value, given)
    show(response, text, Math.round(performance.now() - started))
  } catch (error) {
    say(false, `Not answered: ${error.message}`, [])
    answer.textContent = ''
  }
  run.removeAttribute('aria-disabled')
}

/** The variables; undefined, and a message, when they are no JSON object. */
function readVariables() {
  const text = variables.value.trim()
  if (text === '') return {}
  try {
    const given = JSON.parse(text)
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given
    say(false, 'Not sent: the variables must be a JSON object, as {"name": "value"}.', [])
  } catch (error) {
    say(false, `Not sent: the variables are not JSON: ${error.message}`, [])
  }
  variables.focus()
  return undefined
}

function show(response, text, ms) {
  const { errors } = parsed(text)
  const bytes = new TextEncoder().encode(text).length
  const size = bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} kB`
  const good = response.ok && errors === undefined
  const wait = response.headers.get('Retry-After')
  say(good, `${good ? 'Answered' : `Error ${response.status}`} in ${ms} ms, ${size}`, errors ?? [])
  if (wait !== null) line.textContent += `. Try again in ${wait} s`
  answer.textContent = inLines(text)
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** The state of the query, and what was wrong with it: where an error names a place, it leads there. */
function say(good, text, errors) {
  line.dataset.good = String(good)
  line.textContent = text
  problems.hidden = errors.length === 0
  problems.replaceChildren(
    ...errors.map(({ message, locations }) => {
      const item = document.createElement('li')
      const [place] = locations ?? []
      if (place) {
        const button = document.createElement('button')
        button.type = 'button'
        button.textContent = `Line ${place.line}, column ${place.column}`
        button.addEventListener('click', () => goTo(place))
        item.append(button, ' ')
      }
      item.append(message)
      return item
    }),
  )
}

function goTo({ line: number, column }) {
  const start = query.value
    .split('\n')
    .slice(0, number - 1)
    .reduce((sum, text) => sum + text.length + 1, column - 1)
  const [word] = /^\w*/.exec(query.value.slice(start))
  query.focus()
  query.setSelectionRange(start, start + word.length)
}
