import { counted } from '../../domain/text.ts'
import { categories } from '../../domain/vocabulary.ts'
import { doubtNames, doubts } from '../../importer/doubts.ts'
import { suggestedCategory } from '../../importer/foreign/category-words.ts'
import type { ProcessOutcome } from '../../importer/import-process.ts'
import { kinds } from '../../importer/kinds/index.ts'
import { numbered } from '../../importer/row-keys.ts'
import { type Html, html } from '../../web/html.ts'
import { type Choices, maxCategories, maxColumns } from '../import/choices.ts'
import type { Studio } from '../store.ts'
import { check, formats, makeLocations } from './import.ts'
import { csrfInput, labelled, pathOf, select } from './layout.ts'

/** What the pages about an upload show. */
export type PreviewView = {
  base: string
  studio: Studio
  csrfToken: string
  /** The digest that names the upload. */
  upload: string
  choices: Choices
  outcome: ProcessOutcome
  /** Rows are shown in their order, after this line; undefined: ten, the oddest first. */
  after?: number | undefined
  error?: string | undefined
}

/** The form that confirms or changes how a file is read: key, columns, formats, categories. */
export function readingForm({ base, studio, csrfToken, upload, choices, outcome }: PreviewView): Html {
  const kind = kinds.find(({ name }) => name === choices.kind)
  const options = (kind?.columns ?? []).map(({ name }) => [name, name] as const)
  const wrong = outcome.errors.count > 0
  // Nothing is read from a column without a name.
  const named = outcome.columns.filter(({ theirs }) => theirs.trim() !== '')
  const asked = named.slice(0, maxColumns)
  const unsure = asked.some(({ suggested }) => suggested)
  const unknown = [...(outcome.unknownCategories ?? [])].slice(0, maxCategories)
  return html`<form class="panel" method="post" enctype="multipart/form-data" action="${pathOf(base, studio)}/import/${upload}/reading">
<h2 id="reading">How the file is read</h2>
${csrfInput(csrfToken)}
${doubtChoices(choices, outcome)}
${sheetChoice(choices, outcome)}
${kind?.key === 'external_key' && keyChoice({ choices, outcome })}
${formats(choices)}
${choices.kind === 'items' && makeLocations(choices.makeLocations)}
${
  unknown.length > 0 &&
  html`<h3>Categories</h3>
<p class="soft">Some categories in this file aren't recognised. Choose the category that each one stands for.</p>`
}
${unknown.map(([theirs, rows], at) => {
  const meant = suggestedCategory(theirs) ?? ''
  const ours = [['', 'Choose a category'] as const, ...categories.map((name) => [name, name] as const)]
  return html`<input type="hidden" name="category-${at}" value="${theirs}">
${labelled(`ours-${at}`, html`${theirs} <span class="soft">(${counted(rows, 'row', 'rows')})</span>`, select(`ours-${at}`, meant, ours))}
`
})}
${asked.length > 0 && html`<h3>Columns</h3>`}
${unsure && html`<p class="soft">Check the columns marked “is probably”. Choose another meaning if it is wrong.</p>`}
${named.length > asked.length && html`<p class="soft">Only the first ${asked.length} of ${named.length} columns are shown. The others are recognised by their names.</p>`}
${asked.map(
  ({ theirs, ours, suggested, checked, sample }, at) => html`<div class="field column">
<label for="read-as-${at}">${theirs}${sample !== undefined && html` <span class="soft">(such as <span class="typed">${sample}</span>)</span>`}${suggested && ' is probably'}</label>
<input type="hidden" name="column-${at}" value="${theirs}">
${select(`read-as-${at}`, ours ?? '', [['', checked ? checks[checked] : 'Do not import'], ...options])}
</div>
`,
)}
<button${(wrong || unsure) && html` class="primary"`}>${unsure && !wrong ? 'Use these columns' : 'Check again'}</button>
</form>`
}

/** What a column that is not imported says of each row. */
const checks = {
  quantities: 'Number of pieces',
  currency: 'Currency of the amounts',
  states: 'Whether it is gone',
} as const

/** What somebody may accept: what was doubted now, or accepted before. */
function doubtChoices({ accept }: Choices, { errors: { doubts: found = [] } }: ProcessOutcome): Html | false {
  const asked = doubtNames.filter((name) => accept.includes(name) || found.includes(name))
  if (asked.length === 0) return false
  const both = asked.some((name) => name === 'quantities' || name === 'sets')
  const shown = doubtNames.filter(
    (name) => asked.includes(name) || (both && (name === 'quantities' || name === 'sets')),
  )
  return html`<fieldset class="field"><legend>Accept</legend>
${shown.map((name) => check(`accept-${name}`, doubts[name].label, accept.includes(name)))}
</fieldset>`
}

function sheetChoice({ sheet }: Choices, { sheets }: ProcessOutcome): Html | false {
  if (sheets === undefined || sheets.names.length < 2) return false
  // Keeps a column that nobody chose as it is.
  const options = sheets.names.map((name) => [sheet === '' && name === sheets.read ? '' : name, name] as const)
  return labelled('sheet', 'Sheet of the workbook', select('sheet', sheet, options))
}

function keyChoice({
  choices: { key },
  outcome: { columns, keys = [] },
}: Pick<PreviewView, 'choices' | 'outcome'>): Html {
  const isRead = columns.some(({ ours }) => ours === 'external_key')
  const others = [...new Set([...(key === '' || key === numbered ? [] : [key]), ...keys])]
  const options = [
    ['', isRead ? 'The column read as external_key' : 'Choose one'] as const,
    ...others.map((name) => [name, keys.includes(name) ? `${name} (differs in each row)` : name] as const),
    [numbered, 'Nothing: number the rows'] as const,
  ]
  const hint =
    'If you import the file again, a row with a known key changes that record, and a row with a new key is added. Numbered rows are always added.'
  return labelled('key', 'What identifies each row', select('key', key, options, 'key-hint'), hint)
}
