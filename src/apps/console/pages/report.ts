import { html } from '../../html.ts'
import { disclaimers } from '../../report/words.ts'
import type { Studio } from '../store.ts'
import { csrfInput, type Page, pathOf } from './layout.ts'

/** What was chosen in the form, and why it was not accepted. */
export type ReportDraft = { format: string; on: string; error: string }

export type ReportView = { base: string; studio: Studio; csrfToken: string; draft?: ReportDraft | undefined }

const choices: readonly [string, string][] = [
  ['pdf', 'PDF, to print or to send'],
  ['xlsx', 'XLSX, for Excel and other spreadsheets'],
  ['csv', 'CSV, for other programs'],
]

/** The schedule of equipment of a studio, as a file. */
export function reportPage({ base, studio, csrfToken, draft }: ReportView): Page {
  const error = draft?.error
  const chosen = choices.some(([format]) => format === draft?.format) ? draft?.format : 'pdf'
  return {
    title: 'Report',
    studio,
    tab: 'report',
    content: html`<h1>Report</h1>
<p class="soft">The schedule of equipment of ${studio.name} for an insurer or an accountant: every item with its serial number, location,
value, declared value, policies and photo, and totals by category and policy.</p>
<form class="panel" method="post" action="${pathOf(base, studio)}/report" data-download>
<h2>Make a report</h2>
${error !== undefined && html`<p class="error" id="error" role="alert">${error}</p>`}
${csrfInput(csrfToken)}
<div class="field">
<label for="format">Format</label>
<select id="format" name="format">
${choices.map(([format, label]) => html`<option value="${format}"${format === chosen && html` selected`}>${label}</option>\n`)}
</select>
</div>
<div class="field">
<label for="on">Day of the values</label>
<input id="on" name="on" type="date" min="1900-01-01" max="2199-12-31" value="${draft?.on ?? ''}" aria-describedby="on-hint${error !== undefined && ' error'}">
<p class="soft" id="on-hint">A past or future day; empty for today on the studio’s calendar.</p>
</div>
<button class="primary">Download the report</button>
<p class="soft">Thousands of items with photos take up to a minute.</p>
</form>
${disclaimers.map((sentence) => html`<p class="soft">${sentence}</p>\n`)}`,
  }
}
