import { counted, probablyMeant } from '../../domain/text.ts'
import { categories } from '../../domain/vocabulary.ts'
import { kinds } from '../../importer/kinds/index.ts'
import type { ProcessOutcome } from '../../importer/process.ts'
import { type Cause, sentenceOf } from '../../importer/row-errors.ts'
import { type Html, html } from '../../web/html.ts'
import { type Choices, kindInWords, maxCategories, maxColumns } from '../import/choices.ts'
import type { Studio } from '../store.ts'
import { formats, makeLocations } from './import.ts'
import { alert, csrfInput, labelled, type Page, pathOf, select, wideTable } from './layout.ts'

type PreviewView = {
  base: string
  studio: Studio
  csrfToken: string
  /** The digest that names the upload. */
  upload: string
  choices: Choices
  outcome: ProcessOutcome
  error?: string | undefined
}

/** What an import would do: errors or changes, and how the file was read. */
export function previewPage(view: PreviewView): Page {
  const { base, studio, choices, outcome, error } = view
  const wrong = outcome.errors.count > 0
  return {
    title: wrong ? 'Cannot be imported yet' : 'What would change',
    studio,
    tab: 'import',
    content: html`<h1>${wrong ? 'Cannot be imported yet' : 'What would change'}</h1>
<p class="soft"><span class="typed">${choices.file}</span>, read as ${kindInWords(choices.kind)}${outcome.recognised !== undefined && ` exported from ${outcome.recognised}`}. Nothing has been written.</p>
${alert(error)}
${wrong ? problems(outcome) : changes(view)}
${reading(view)}
<p class="on-screen"><a href="${pathOf(base, studio)}/import">Choose another file</a></p>`,
  }
}

function problems({ errors, notes }: ProcessOutcome): Html {
  const { different, lines, causes } = errors
  return html`<div role="alert"><p class="error">${counted(different, 'error', 'errors')}${lines > different && ` on ${lines} lines`}: correct the file and
upload it again<span class="on-screen">, or change below how it is read</span>.</p></div>
<ul class="causes">
${causes.map((cause) => html`<li>${shown(cause)}</li>\n`)}
</ul>
${notesOf(notes)}`
}

/** Errors in words; what they advise of the command line is done here in the form. */
function shown(cause: Cause): string {
  const remedy = cause.remedy === null ? null : remedyHere(cause.remedy)
  const more = cause.more > 0 ? ` … and ${cause.more} more of this kind` : ''
  return `${sentenceOf({ ...cause, remedy })}${more}`
}

const inTheForm = ' under “How the file is read”'

function remedyHere(remedy: string): string {
  if (remedy === 'add the column') return `${remedy}, or choose which one it is${inTheForm}`
  return remedy.replace(/:? ?(?:with )?--map .*$/, inTheForm)
}

const notesOf = (notes: readonly string[]) =>
  notes.length > 0 &&
  html`<p class="soft">Also noted:</p>
<ul class="causes">${notes.map((note) => html`<li>${note}</li>\n`)}</ul>`

function changes({ base, studio, csrfToken, upload, outcome }: PreviewView): Html {
  const { rows, added, changed, unchanged, notes } = outcome
  const total = added + changed
  return html`<p><strong>${counted(rows, 'row', 'rows')}: ${added} to add, ${changed} to change, ${unchanged} unchanged.</strong></p>
${notesOf(notes)}
${
  total === 0
    ? html`<p>The studio has all of this already: there is nothing to import.</p>`
    : html`<form method="post" action="${pathOf(base, studio)}/import/${upload}">${csrfInput(csrfToken)}<button class="primary">Import ${counted(total, 'row', 'rows')}</button></form>`
}
${changeTable(outcome)}`
}

function changeTable({ changes: list = [], added, changed }: ProcessOutcome): Html | false {
  if (list.length === 0) return false
  const shownRows = new Set(list.map(({ line }) => line)).size
  const table = html`<table>
<thead><tr><th scope="col">Line</th><th scope="col">Key</th><th scope="col">Column</th><th scope="col">Now</th><th scope="col">After</th></tr></thead>
<tbody>
${list.map(
  ({ line, key, column, before, after }) =>
    html`<tr><td>${line}</td><td class="typed">${key}</td><td>${column ?? 'new row'}</td><td class="typed">${before ?? '–'}</td><td class="typed">${after ?? '–'}</td></tr>\n`,
)}
</tbody>
</table>`
  return html`<h2 id="changes">Changes</h2>
${shownRows < added + changed && html`<p class="soft">Those of the first ${shownRows} of ${added + changed} rows.</p>`}
${wideTable('changes', table)}`
}

function reading({ base, studio, csrfToken, upload, choices, outcome }: PreviewView): Html {
  const columns = kinds.find(({ name }) => name === choices.kind)?.columns ?? []
  const options = [['', 'left out'] as const, ...columns.map(({ name }) => [name, name] as const)]
  const wrong = outcome.errors.count > 0
  // Nothing is read from a column without a name.
  const named = outcome.columns.filter(({ theirs }) => theirs.trim() !== '')
  const asked = named.slice(0, maxColumns)
  const unknown = [...(outcome.unknownCategories ?? [])].slice(0, maxCategories)
  return html`<form class="panel" method="post" enctype="multipart/form-data" action="${pathOf(base, studio)}/import/${upload}/reading">
<h2 id="reading">How the file is read</h2>
${csrfInput(csrfToken)}
${formats(choices)}
${choices.kind === 'items' && makeLocations(choices.makeLocations)}
${
  unknown.length > 0 &&
  html`<h3>Categories</h3>
<p class="soft">The file has categories that are not ours. Choose which of ours each is.</p>`
}
${unknown.map(([theirs, rows], at) => {
  const meant = probablyMeant(theirs, categories) ?? ''
  const ours = [['', 'choose one'] as const, ...categories.map((name) => [name, name] as const)]
  return html`<input type="hidden" name="category-${at}" value="${theirs}">
${labelled(`ours-${at}`, html`${theirs} <span class="soft">(${counted(rows, 'row', 'rows')})</span>`, select(`ours-${at}`, meant, ours))}
`
})}
${asked.length > 0 && html`<h3>Columns</h3>`}
${named.length > asked.length && html`<p class="soft">The first ${asked.length} of ${named.length}. The others are read as they are recognised.</p>`}
${asked.map(
  ({ theirs, ours }, at) => html`<div class="field column">
<label for="read-as-${at}">${theirs}</label>
<input type="hidden" name="column-${at}" value="${theirs}">
${select(`read-as-${at}`, ours ?? '', options)}
</div>
`,
)}
<button${wrong && html` class="primary"`}>Check again</button>
</form>`
}
