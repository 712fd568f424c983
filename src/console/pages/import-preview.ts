import { counted } from '../../domain/text.ts'
import { type Changes, inWords, type RowChange } from '../../importer/changes.ts'
import type { ProcessOutcome } from '../../importer/import-process.ts'
import { type Cause, sentenceOf } from '../../importer/row-errors.ts'
import { type Content, type Html, html } from '../../web/html.ts'
import { kindInWords } from '../import/choices.ts'
import { type PreviewView, readingForm } from './import.ts'
import { alert, csrfInput, type Page, pathOf, stackedTable } from './layout.ts'

/** The number of rows on a page of all rows. */
export const rowsOnPage = 500

/** What an import would do: errors or changes, and how the file was read. */
export function previewPage(view: PreviewView): Page {
  const { base, studio, choices, outcome, error } = view
  const wrong = outcome.errors.count > 0
  const unsure = outcome.columns.some(({ suggested }) => suggested)
  // Photos, and files without a table, leave nothing to choose.
  const isTable = choices.kind !== 'photos' && (outcome.columns.length > 0 || outcome.sheets !== undefined)
  const title = wrong ? 'Cannot be imported yet' : unsure ? 'Are these columns right?' : 'What would change'
  return {
    title,
    studio,
    tab: 'import',
    content: html`<h1>${title}</h1>
<p class="soft"><span class="typed">${choices.file}</span>, ${outcome.sheets && outcome.sheets.names.length > 1 && html`sheet <span class="typed">${outcome.sheets.read}</span>, `}read as ${kindInWords(choices.kind)}${outcome.recognised !== undefined && ` ${outcome.recognised}`}. Nothing has been imported yet.</p>
${choices.isRecalled && html`<p class="soft">It is read like the last file with these columns. You can change that below.</p>`}
${alert(error)}
${wrong && problems(outcome, isTable)}
${
  !wrong &&
  unsure &&
  html`<p>Some columns have names that differ from the templates. Check what they probably mean before you import the file. The rows
below show the result.</p>`
}
${(wrong || unsure) && isTable && readingForm(view)}
${!wrong && changes(view, unsure)}
${!wrong && !unsure && isTable && readingForm(view)}
<p class="on-screen"><a href="${pathOf(base, studio)}/import">Choose another file</a></p>`,
  }
}

function problems({ errors, notes }: ProcessOutcome, isTable: boolean): Html {
  const { different, lines, causes } = errors
  return html`<div role="alert"><p class="error">${counted(different, 'error', 'errors')}${lines > different && ` on ${lines} lines`}: correct the file and
upload it again${isTable && html`<span class="on-screen">, or change how it is read below</span>`}.</p></div>
<ul class="causes">
${causes.map((cause) => html`<li>${shown(cause)}</li>\n`)}
</ul>
${notesOf(notes)}`
}

/** Errors in words. Replaces advice about the command line by the form's own. */
function shown(cause: Cause): string {
  const more = cause.more > 0 ? ` … and ${cause.more} more of this kind` : ''
  return `${sentenceOf({ ...cause, remedy: remedyHere(cause) })}${more}`
}

const inTheForm = ' under “How the file is read”'

function remedyHere({ column, problem, remedy, doubt }: Cause): string | null {
  if (doubt) return `${remedy?.replace(/, or --accept .*$/, '')}, or accept it${inTheForm}`
  if (column === 'external_key' && problem === 'is empty')
    return `${remedy}, or choose what identifies each row${inTheForm}`
  if (column === 'category' && problem.startsWith('is not one'))
    return `choose the category that it stands for${inTheForm}`
  if (column === 'location' && problem.startsWith('matches nothing') && !remedy?.includes('plan'))
    return `${remedy}, or choose to create it${inTheForm}`
  if (problem.startsWith('is not an ISO date')) return `choose how the file writes dates${inTheForm}`
  if (/^has a (?:separator|decimal comma|thousands)/.test(problem))
    return `choose how the file writes amounts${inTheForm}`
  if (remedy === null) return null
  if (remedy === 'add the column') return `${remedy}, or choose which one it is${inTheForm}`
  if (remedy.includes('--sheet')) return `choose the sheet${inTheForm}`
  if (remedy.includes('--key')) return `choose what identifies each row${inTheForm}`
  return remedy.replace(/:? ?(?:with )?--map .*$/, inTheForm)
}

const notesOf = (notes: readonly string[]) =>
  notes.length > 0 &&
  html`<p class="soft">Notes:</p>
<ul class="causes">${notes.map((note) => html`<li>${note}</li>\n`)}</ul>`

function changes(view: PreviewView, unsure: boolean): Html {
  const { base, studio, csrfToken, upload, choices, outcome } = view
  const { rows, added, changed, unchanged, notes } = outcome
  const total = added + changed
  const [one, many] = choices.kind === 'photos' ? ['photo', 'photos'] : ['row', 'rows']
  return html`<p><strong>${counted(rows, one, many)}: ${added} to add, ${changed} to change, ${unchanged} unchanged.</strong></p>
${notesOf(notes)}
${
  total === 0
    ? html`<p>The studio already has all of these records. There is nothing to import.</p>`
    : !unsure &&
      html`<form method="post" action="${pathOf(base, studio)}/import/${upload}">${csrfInput(csrfToken)}<button class="primary">Import ${counted(total, one, many)}</button></form>`
}
${outcome.changes && outcome.changes.rows.length > 0 && changeTable(view, outcome.changes, total)}`
}

function changeTable(
  { base, studio, upload, choices, after }: PreviewView,
  { columns, rows }: Changes,
  total: number,
): Html {
  // Omits columns that are empty and would stay so.
  const filled = columns.flatMap((column, at) =>
    rows.some(({ values }) => hasContent(values[at]?.before) || hasContent(values[at]?.after))
      ? [{ ...column, at }]
      : [],
  )
  const headings = [{ label: 'Key and line' }, ...filled.map(({ name }) => ({ label: name }))]
  const table = stackedTable(
    'changes',
    headings,
    rows.map((row) => ({
      cells: [
        html`<span class="typed">${row.key}</span><br><span class="soft">line ${row.line}, ${[row.isNew ? 'new' : 'changed', ...row.odd].join(', ').replaceAll('_', ' ')}</span>`,
        ...filled.map(({ shows, at }) => cell(row, at, (value) => inWords(value, shows, studio.currency))),
      ],
    })),
  )
  const here = `${pathOf(base, studio)}/import/${upload}`
  const last = rows.at(-1)?.line ?? 0
  return html`<h2 id="changes">What would be written</h2>
${
  after === undefined
    ? total > rows.length &&
      html`<p>${
        choices.kind === 'photos'
          ? html`Showing the first ${rows.length} of ${total} photos.`
          : html`Showing ${rows.length} of ${total} rows: those with the largest amounts and the earliest and latest dates, then the first
rows.`
      } <a class="on-screen" href="${here}?after=0#changes">Show all</a></p>`
    : html`<p class="on-screen">${rows.length === rowsOnPage && html`<a href="${here}?after=${last}#changes">Next rows</a> · `}<a href="${here}">Rows with unusual values</a></p>`
}
<div class="wide" role="region" aria-labelledby="changes" tabindex="0">
${table}
</div>`
}

const hasContent = (value: unknown) => value !== undefined && value !== null && value !== '' && String(value) !== ''

function cell(
  { isNew, values }: RowChange,
  at: number,
  words: (value: RowChange['values'][0]['after']) => string,
): Content {
  const { before, after } = values[at] ?? { before: null, after: null }
  const [from, to] = [words(before), words(after)]
  if (isNew || from === to) return to && html`<span class="typed${!isNew && ' soft'}">${to}</span>`
  return html`<span class="typed">${from || '–'} → <strong>${to || '–'}</strong></span>`
}
