const input = document.getElementById('search')
const results = document.getElementById('results')
const all = document.getElementById('all')
const found = document.getElementById('found')
const most = 12

/** Everything on the page that has an anchor. The first search collects it. */
let entries
function readEntries() {
  return [...document.querySelectorAll('main [id]:not(input, datalist, .samples)')].map((element) => {
    const name = (element.querySelector('dt code, h2, h3, h4') ?? element).textContent.trim()
    const section = element.closest('section')
    const where = element === section ? '' : section.querySelector('h2, h3').textContent.trim()
    const abouts = element.matches('section') ? [...element.querySelectorAll(':scope > .about')] : [element]
    const text = abouts.map(({ textContent }) => textContent).join(' ')
    return {
      id: element.id,
      name,
      where,
      nameLower: name.toLowerCase(),
      text: `${name} ${where} ${text}`.toLowerCase(),
    }
  })
}

/** Words that other APIs use, and the word for the same thing on this page. */
const synonyms = {
  'auth login oauth key secret bearer credentials': 'authentication',
  'paginate paging offset limit cursor pages': 'pagination',
  'throttle throttling quota limits 429': 'rate limit',
  'webhook webhooks sync polling incremental subscribe push': 'keep a copy',
  'delete deleted removed tombstone': 'removals',
  'equipment asset assets gear product': 'items',
  'price cost worth amount': 'value',
  'room building site': 'locations',
  'repair service calibration': 'maintenance',
  'insurance insured cover': 'policies',
  'export spreadsheet excel': 'csv',
  'picture image images': 'photo',
  'reply answer body result': 'response',
}
const sameAs = new Map(
  Object.entries(synonyms).flatMap(([words, ours]) => words.split(' ').map((word) => [word, ours])),
)

/** Entries with all the words or their synonyms; those with the words in their names come first. */
function search(words) {
  entries ??= readEntries()
  const has = (text, word) => text.includes(word) || text.includes(sameAs.get(word) ?? word)
  const hits = entries.filter(({ text }) => words.every((word) => has(text, word)))
  const rank = ({ nameLower }) => (nameLower === words[0] ? 0 : words.every((word) => has(nameLower, word)) ? 1 : 2)
  return hits.toSorted((one, other) => rank(one) - rank(other))
}

function update() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  const hits = words.length > 0 ? search(words) : []
  results.hidden = words.length === 0
  all.hidden = words.length > 0
  found.textContent = words.length === 0 ? '' : hits.length === 0 ? 'Nothing found' : `${hits.length} found`
  results.replaceChildren(...(hits.length > 0 || words.length === 0 ? hits.slice(0, most).map(resultOf) : [nothing()]))
}

function resultOf({ id, name, where }) {
  const link = document.createElement('a')
  link.href = `#${id}`
  link.textContent = name
  if (where !== '') {
    const context = document.createElement('span')
    context.textContent = ` ${where}`
    link.append(context)
  }
  const item = document.createElement('li')
  item.append(link)
  return item
}

function nothing() {
  const item = document.createElement('li')
  item.textContent = 'Nothing found.'
  return item
}

function clear() {
  input.value = ''
  update()
}

input.addEventListener('input', update)
input.addEventListener('keydown', (event) => {
  const [first] = results.querySelectorAll('a')
  if (event.key === 'Enter') first?.click()
  else if (event.key === 'ArrowDown') first?.focus()
  else if (event.key === 'Escape' && input.value !== '') clear()
  else return
  event.preventDefault()
})
results.addEventListener('keydown', (event) => {
  const links = [...results.querySelectorAll('a')]
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  ;(links[links.indexOf(document.activeElement) + step] ?? input).focus()
})
// As on many pages, `/` begins a search.
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, textarea, select')) return
  event.preventDefault()
  const contents = document.getElementById('contents')
  if (!input.checkVisibility()) contents.showPopover?.()
  input.focus()
})
