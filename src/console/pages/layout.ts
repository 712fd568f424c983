import { type Content, type Html, html, siteHeader } from '../../web/html.ts'
import type { Links } from '../../web/links.ts'
import { csrfField } from '../forms.ts'
import type { Person, Studio } from '../store.ts'

/** The frame of every page. */
export type Frame = {
  base: string
  assets: string
  links: Links
  /** Whether owners can manage analysts' logins on this service. */
  analysts: boolean
  session: { person: Person; csrfToken: string } | undefined
}

const studioTabs = { overview: 'Overview', items: 'Items', policies: 'Policies', maintenance: 'Maintenance' } as const

/** Only owners and admins see links to these pages. */
export const managedTabs = {
  members: 'Members',
  import: 'Import',
  report: 'Report',
  'audit-log': 'Audit log',
  plan: 'Plan',
} as const

type Tab = keyof typeof studioTabs | 'tokens' | 'analysts' | keyof typeof managedTabs

export type Page = {
  title: string
  /** The page's studio, and the open tab. */
  studio?: Studio | undefined
  tab?: Tab
  content: Content
  /** The address to which the browser continues by itself. */
  goOnTo?: string
}

export function renderPage(frame: Frame, page: Page): string {
  const { assets, session } = frame
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${page.goOnTo !== undefined && html`<meta http-equiv="refresh" content="0; url=${page.goOnTo}">`}
<title>${page.title} · Studio Inventory</title>
<link rel="icon" type="image/svg+xml" href="${assets}/icon.svg">
<link rel="stylesheet" href="${assets}/console.css">
<script type="module" src="${assets}/console.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${siteHeader(frame.links, 'console', `${assets}/icon.svg`, session && whoIsHere(frame, session, page.studio))}
${page.studio && tabs(frame, page.studio, page.tab)}
<main id="content">
${page.content}
</main>
</body>
</html>
`
  return String(document)
}

function whoIsHere(
  { base }: Frame,
  { person, csrfToken }: NonNullable<Frame['session']>,
  at: Studio | undefined,
): Html {
  // The studio's name for the person, on its pages.
  const studio = at ?? (person.studios.length === 1 ? person.studios[0] : undefined)
  return html`<div class="who">
<span class="person">${studio?.you ?? person.email}</span>
${person.studios.length > 1 && html`<a href="${base}">Studios</a>`}
<form method="post" action="${base}/sign-out">${csrfInput(csrfToken)}<button class="quiet">Sign out</button></form>
</div>`
}

function tabs({ base, analysts }: Frame, studio: Studio, open: Page['tab']): Html {
  const tab = ([name, label]: readonly [string, string]) =>
    html`<li><a href="${pathOf(base, studio)}/${name}"${open === name && html` aria-current="page"`}>${label}</a></li>
`
  return html`<nav class="tabs" aria-label="${studio.name}">
<p class="studio">${studio.name}</p>
<ul>
${Object.entries(studioTabs).map(tab)}</ul>
<ul class="settings">
${studio.publicApi && tab(['tokens', 'API tokens'])}
${analysts && studio.role === 'owner' && tab(['analysts', 'Analysts'])}
${studio.mayManage && Object.entries(managedTabs).map(tab)}</ul>
</nav>`
}

/** The hidden field with the CSRF token of a form. */
export function csrfInput(csrfToken: string): Html {
  return html`<input type="hidden" name="${csrfField}" value="${csrfToken}">`
}

export function pathOf(base: string, studio: Pick<Studio, 'id'>): string {
  return `${base}/studios/${studio.id}`
}

/** A time for people, in UTC. The script converts it to the reader's zone. */
export function moment(timestamp: string, precision: 'minutes' | 'seconds' = 'minutes'): Html {
  const time = timestamp.slice(11, precision === 'minutes' ? 16 : 19)
  return html`<time datetime="${timestamp}"><span>${timestamp.slice(0, 10)}</span> <span>${time} UTC</span></time>`
}

/** How long ago a moment was, or in how long it will be. Its exact time is shown on hover. */
export function relative(timestamp: string): Html {
  const exact = `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`
  return html`<time datetime="${timestamp}" title="${exact}" data-relative>${distance(Date.parse(timestamp) - Date.now())}</time>`
}

const aDay = 86_400

/** Each unit with its seconds, and from how many seconds it is used: days are counted up to 90. */
const units = [
  ['year', 365 * aDay, 360 * aDay],
  ['month', 30 * aDay, 90.5 * aDay],
  ['day', aDay, aDay],
  ['hour', 3_600, 3_600],
  ['minute', 60, 60],
] as const
const inEnglish = new Intl.RelativeTimeFormat('en')

function distance(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const [unit, size] = units.find(([, , least]) => Math.abs(seconds) >= least) ?? []
  return unit === undefined ? 'just now' : inEnglish.format(Math.round(seconds / size), unit)
}

/** Shows what somebody has just done. It has the focus when the page opens, so that screen readers
 * announce it. */
export function success(content: Content): Html {
  return html`<p class="notice" role="status" tabindex="-1" autofocus>${content}</p>`
}

/** Shows what did not happen although nothing went wrong. */
export function information(content: Content): Html {
  return html`<p class="note" role="status" tabindex="-1" autofocus>${content}</p>`
}

export const alert = (error: string | undefined): Content =>
  error !== undefined && html`<p class="error" id="error" role="alert">${error}</p>`

/** A labelled field of a form. The control refers to the hint as `…-hint`. */
export function labelled(id: string, label: Content, control: Html, hint?: Content): Html {
  return html`<div class="field">
<label for="${id}">${label}</label>
${control}
${hint !== undefined && html`<p class="soft" id="${id}-hint">${hint}</p>`}
</div>`
}

/** A field with its hint and, if it was refused, why. The first refused one has the focus. */
export function refusable(
  errors: Readonly<Record<string, string | undefined>>,
  name: string,
  label: string,
  control: (attributes: Html) => Html,
  hint: Content,
): Html {
  const error = errors[name]
  const described = `${name}-hint${error === undefined ? '' : ` ${name}-error`}`
  const attributes = html` aria-describedby="${described}"${error !== undefined && html` aria-invalid="true"${Object.keys(errors)[0] === name && html` autofocus`}`}`
  return labelled(
    name,
    label,
    html`${control(attributes)}${error !== undefined && html`<p class="wrong" id="${name}-error">${error}</p>`}`,
    hint,
  )
}

/** @param described the id of its hint, or attributes */
export function select(
  name: string,
  chosen: string | undefined,
  options: readonly (readonly [string, string])[],
  described?: string | Html,
): Html {
  const attributes = typeof described === 'string' ? html` aria-describedby="${described}"` : described
  return html`<select id="${name}" name="${name}"${attributes}>
${options.map(([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>\n`)}
</select>`
}

type Column = { label: string; number?: boolean; spoken?: boolean }

/** With `unlabelled`, a narrow window shows the cell without the label of its column. */
type Cell = Content | { unlabelled: Html }

/** A table whose rows are blocks in a narrow window, where each cell has its label and cells
 * without content are left out. The roles keep it a table there for screen readers.
 * @param rows the first cell heads its row; `over`: the row is about something that has ended */
export function stackedTable(
  labelledBy: string,
  columns: readonly Column[],
  rows: readonly { cells: readonly Cell[]; over?: boolean }[],
): Html {
  const heading = ({ label, number, spoken }: Column) =>
    html`<th scope="col" role="columnheader"${number && html` class="number"`}>${spoken ? html`<span class="spoken">${label}</span>` : label}</th>`
  const cell = (content: Cell | undefined, { label, number, spoken }: Column) => {
    if (isNothing(content)) return html`<td role="cell" class="missing${number && ' number'}">${!spoken && '–'}</td>\n`
    if (isUnlabelled(content)) return html`<td role="cell">${content.unlabelled}</td>\n`
    return html`<td role="cell"${number && html` class="number"`}${!spoken && html` data-label="${label}"`}>${content}</td>\n`
  }
  return html`<table class="stacked" role="table" aria-labelledby="${labelledBy}">
<thead role="rowgroup"><tr role="row">${columns.map(heading)}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  ({ cells: [first, ...cells], over }) => html`<tr role="row"${over && html` class="over"`}>
<th scope="row" role="rowheader">${isUnlabelled(first) ? first.unlabelled : first}</th>
${columns.slice(1).map((column, at) => cell(cells[at], column))}</tr>\n`,
)}</tbody>
</table>`
}

const isNothing = (content: Cell | undefined) =>
  content === null || content === undefined || content === false || content === ''

const isUnlabelled = (content: Cell | undefined): content is { unlabelled: Html } =>
  typeof content === 'object' && content !== null && 'unlabelled' in content

/** What pages say for a studio whose public API is off. */
export const apiOff = 'The public API is not available for this studio.'

/** Serves: "a tab shown only when the public API feature is enabled"; "the public API is rolling
 * out as a paid-plan feature". */
export const whoTurnsItOn =
  'It is being rolled out. The operator of this service turns it on for each studio, and owners and admins can ask for it.'
