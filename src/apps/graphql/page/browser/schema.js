import { ask } from './ask.js'
import { whenIdentified } from './identity.js'

const state = document.getElementById('schema-state')
const find = document.getElementById('find')
const found = document.getElementById('found')
const list = document.getElementById('types')
const maxFound = 30

const reference = 'kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }'
const input = `name description type { ${reference} }`
const introspection = `{ __schema { types {
  kind name description
  fields { name description args { ${input} } type { ${reference} } }
  inputFields { ${input} }
  enumValues { name description }
} } }`

let types = []
let asked = false

whenIdentified(async () => {
  if (asked) return
  asked = true
  state.textContent = 'Loading …'
  const loaded = await load().catch(() => false)
  // Another identity may be let in.
  asked = loaded
  if (!loaded) state.textContent = 'The schema could not be loaded with this identity.'
})

async function load() {
  const { response, text } = await ask(introspection)
  if (!response.ok) return false
  types = JSON.parse(text)
    .data.__schema.types.filter(({ name }) => !name.startsWith('__'))
    .toSorted(byUse)
  const records = types.filter((type) => rankOf(type) <= 1)
  const others = types.filter((type) => rankOf(type) > 1)
  const more = make(
    'details',
    make('summary', `${others.length} more: aggregates, connections, orders, filters and scalars`),
  )
  more.append(...others.map(summaryOf))
  list.replaceChildren(...records.map(summaryOf), more)
  state.textContent = initial()
  find.disabled = false
  return true
}

const initial = () => `${types.length} types. Query is where every query begins.`

/** Query first, then the records, then what belongs to them. */
const byUse = (one, other) => rankOf(one) - rankOf(other) || (one.name < other.name ? -1 : 1)

function rankOf({ kind, name }) {
  if (name === 'Query') return 0
  if (kind !== 'OBJECT') return { ENUM: 4, INPUT_OBJECT: 5, SCALAR: 6 }[kind] ?? 7
  return /Aggregates|Connection$|Edge$|PageInfo/.test(name) ? 3 : 1
}

const make = (name, ...content) => {
  const element = document.createElement(name)
  element.append(...content)
  return element
}

/** A type that opens. What is in it is made when it is opened: all together are thousands of elements. */
function summaryOf(type) {
  const details = document.createElement('details')
  details.id = `type-${type.name}`
  const members = membersOf(type).length
  const kind = { OBJECT: 'type', INPUT_OBJECT: 'input', ENUM: 'enum', SCALAR: 'scalar' }[type.kind] ?? ''
  const about = make(
    'span',
    ` ${kind}${members > 0 ? `, ${members} ${type.kind === 'ENUM' ? 'values' : 'fields'}` : ''}`,
  )
  details.append(make('summary', make('code', type.name), about))
  details.addEventListener('toggle', () => open(details, type), { once: true })
  return details
}

function open(details, type) {
  if (type.description) details.append(make('p', plain(type.description)))
  const entries = membersOf(type).map((member) => {
    const term = make('dt', make('code', member.name))
    if (member.args?.length > 0) term.append('(', ...joined(member.args.map(argument)), ')')
    if (member.type) term.append(': ', ...typeOf(member.type))
    const entry = make('div', term)
    if (member.description) entry.append(make('dd', plain(member.description)))
    return entry
  })
  if (entries.length > 0) details.append(make('dl', ...entries))
}

/** Descriptions have names in the marks of Markdown. */
const plain = (text) => text.replaceAll('`', '')

const membersOf = ({ fields, inputFields, enumValues }) => fields ?? inputFields ?? enumValues ?? []
const argument = ({ name, type }) => make('span', `${name}: `, ...typeOf(type))
const joined = (parts) => parts.flatMap((part, index) => (index === 0 ? [part] : [', ', part]))

/** A type as GraphQL writes it, its name a link. */
function typeOf({ kind, name, ofType }) {
  if (kind === 'NON_NULL') return [...typeOf(ofType), '!']
  if (kind === 'LIST') return ['[', ...typeOf(ofType), ']']
  return [linkTo(name, name)]
}

function linkTo(type, text) {
  const link = make('a', make('code', text))
  link.href = `#type-${type}`
  return link
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#type-"]')
  const details = link && document.getElementById(link.hash.slice(1))
  if (!details) return
  event.preventDefault()
  for (let outer = details; outer; outer = outer.parentElement.closest('details')) outer.open = true
  details.scrollIntoView()
  details.querySelector('summary').focus({ preventScroll: true })
})

find.addEventListener('input', () => {
  const words = find.value
    .toLowerCase()
    .split(/[\s.]+/)
    .filter(Boolean)
  const hits = words.length === 0 ? [] : search(words)
  found.hidden = words.length === 0
  list.hidden = words.length > 0
  found.replaceChildren(...hits.slice(0, maxFound).map(resultOf))
  state.textContent =
    words.length === 0
      ? initial()
      : hits.length > maxFound
        ? `${hits.length} found, the first ${maxFound} are shown.`
        : `${hits.length} found.`
})

/** What has all the words in its own name, what has them together with its type's, and then what has them in its description. */
function search(words) {
  const all = types.flatMap((type) => [
    { type, own: type.name, name: type.name, description: type.description },
    ...membersOf(type).map(({ name, description }) => ({ type, own: name, name: `${type.name}.${name}`, description })),
  ])
  const has = (text) => words.every((word) => text.toLowerCase().includes(word))
  const conditions = [
    ({ own }) => own.toLowerCase() === words.join(''),
    ({ own }) => has(own),
    ({ name }) => has(name),
    ({ name, description }) => has(`${name} ${description ?? ''}`),
  ]
  return all
    .map((entry) => ({ ...entry, rank: conditions.findIndex((isMet) => isMet(entry)) }))
    .filter(({ rank }) => rank >= 0)
    .toSorted(
      (one, other) =>
        one.rank - other.rank || rankOf(one.type) - rankOf(other.type) || one.name.length - other.name.length,
    )
}

function resultOf({ type, name, description }) {
  const item = make('li', linkTo(type.name, name))
  item.querySelector('a').addEventListener('click', () => {
    find.value = ''
    find.dispatchEvent(new Event('input'))
  })
  if (description) item.append(` ${plain(description.split('\n')[0])}`)
  return item
}
