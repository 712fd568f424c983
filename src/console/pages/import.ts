import { counted } from '../../domain/text.ts'
import { categories } from '../../domain/vocabulary.ts'
import { doubtNames, doubts } from '../../importer/doubts.ts'
import { suggestedCategory } from '../../importer/foreign/category-words.ts'
import { tools } from '../../importer/foreign/tools.ts'
import type { ProcessOutcome } from '../../importer/import-process.ts'
import { kinds } from '../../importer/kinds/index.ts'
import { numbered } from '../../importer/row-keys.ts'
import { type Html, html } from '../../web/html.ts'
import { maxArchive } from '../import/archives.ts'
import { type Choices, dateFormats, kindLabels, maxCategories, maxColumns } from '../import/choices.ts'
import { maxUpload } from '../import/upload.ts'
import type { Studio } from '../store.ts'
import { alert, csrfInput, labelled, type Page, pathOf, select, success } from './layout.ts'

/** What has just been imported. */
export type Imported = { kind: string; added: number; changed: number }

type ImportView = {
  base: string
  studio: Studio
  csrfToken: string
  /** Photos can be imported too. */
  photos: boolean
  imported?: Imported | undefined
  /** What was chosen in the form, and why it was not accepted. */
  draft?: Record<string, string>
  error?: string
}

const froms: readonly (readonly [string, string])[] = [
  ['guess', 'Recognise automatically'],
  ['ours', 'Named as in the templates'],
  ...Object.entries(tools).map(([name, { title }]) => [name, `Export from ${title}`] as const),
]

const kindChoices = kinds.map(({ name }) => [name, kindLabels[name] ?? name] as const)

const dateChoices: readonly (readonly [string, string])[] = [
  ['', 'As 2026-03-31 (ISO)'],
  ...dateFormats.map((format) => [format, format] as const),
]

const decimalChoices = [
  ['', 'As 1234.50'],
  ['point', 'As 1,234.50: a decimal point'],
  ['comma', 'As 1.234,50: a decimal comma'],
] as const

/** How a file writes dates and amounts. */
const formats = ({ dates = '', decimal = '' }: { dates?: string; decimal?: string }): Html =>
  html`${labelled('dates', 'Dates', select('dates', dates, dateChoices))}
${labelled('decimal', 'Amounts', select('decimal', decimal, decimalChoices))}`

/** The form with which a file is uploaded. */
export function importPage({ base, studio, csrfToken, photos, imported, draft = {}, error }: ImportView): Page {
  const contents = photos ? [...kindChoices, ['photos', 'Photos'] as const] : kindChoices
  return {
    title: 'Import',
    studio,
    tab: 'import',
    content: html`<h1>Import</h1>
${imported && success(html`Imported: ${imported.added} added, ${imported.changed} changed. ${whereShown(pathOf(base, studio), imported)}`)}
<p class="soft">Import records of ${studio.name} from a spreadsheet. You see what would change before you
confirm the import. A file is imported completely or not at all, and nothing is deleted.</p>
<form class="panel" method="post" enctype="multipart/form-data" action="${pathOf(base, studio)}/import">
<h2>Choose a file</h2>
${alert(error)}
${csrfInput(csrfToken)}
${labelled('kind', 'What it contains', select('kind', draft.kind ?? 'items', contents))}
${labelled(
  'file',
  'File',
  html`<input id="file" name="file" type="file" required accept=".csv,.xlsx,.tsv,.txt,text/csv${photos && ',.zip'}" aria-describedby="file-hint${error !== undefined && ' error'}">`,
  `CSV or XLSX, up to ${maxUpload / 2 ** 20} MB. The first line names the columns.${photos ? ` Photos: a ZIP archive, up to ${maxArchive / 2 ** 30} GB. Name each photo after the key, the serial number or the name of its item: MIC-001.jpg is the first photo of MIC-001, and MIC-001-2.jpg the second. The page of each item shows its key. Import more photos in several archives.` : ''}`,
)}
${labelled('from', 'Columns', select('from', draft.from ?? 'guess', froms))}
${formats(draft)}
${makeLocations(draft['make-locations'] === 'on')}
<button class="primary">See what would change</button>
<p class="soft">A file with tens of thousands of rows takes up to a minute.</p>
</form>
<h2>Templates</h2>
<p class="soft">Your own spreadsheet can have any columns. To start a new one, download a template. Each example has one row.</p>
<ul>
${kindChoices.map(([name, label]) => {
  const path = `${pathOf(base, studio)}/import/templates/${name}`
  return html`<li>${label}: <a href="${path}.csv" download>template<span class="spoken"> of ${label.toLowerCase()}</span></a>, <a href="${path}-example.csv" download>example<span class="spoken"> of ${label.toLowerCase()}</span></a></li>\n`
})}
</ul>
<p class="soft">Rows are matched by <code>external_key</code>, your own key for each record, so importing the same file again changes
nothing. To archive items that a file no longer contains${!photos && ', or to import photos'}, use the command line: <code class="command">studio-inventory import</code>.</p>`,
  }
}

/** A link to the page that shows what was imported: of items, first what changed last. */
function whereShown(path: string, { kind }: Imported): Html {
  if (kind === 'policies') return html`<a href="${path}/policies">See the policies</a>`
  if (kind === 'maintenance') return html`<a href="${path}/maintenance">See the maintenance</a>`
  return html`<a href="${path}/items?order=changed">See the items</a>`
}

const makeLocations = (checked: boolean): Html =>
  check('make-locations', 'Create locations that the studio does not have yet (Studio plan)', checked)

function check(name: string, label: string, checked: boolean): Html {
  return html`<div class="field check">
<label><input name="${name}" type="checkbox" value="on"${checked && html` checked`}> ${label}</label>
</div>
`
}

/** The page for owners and admins while imports in the console are off. */
export function importOffPage(studio: Studio): Page {
  return {
    title: 'Import',
    studio,
    tab: 'import',
    content: html`<h1>Import</h1>
<p>You cannot import files in this console. The operator of this service can turn this on with the setting <code>CONSOLE_IMPORT=true</code>,
or import files for you with the command <code class="command">studio-inventory import</code>.</p>`,
  }
}

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
