import { pipeline } from 'node:stream/promises'
import { isDay } from '../domain/dates.ts'
import { messageOf } from '../domain/text.ts'
import { formats, isFormat } from '../report/options.ts'
import type { Reports } from '../report/reports.ts'
import { disclaimers, fileName } from '../report/words.ts'
import { Busy } from '../task/child.ts'
import { html } from '../web/html.ts'
import { type Context, managing, notFound, PageError } from './context.ts'
import { field } from './forms.ts'
import { alert, csrfInput, labelled, type Page, pathOf, select } from './pages/layout.ts'
import { show } from './respond.ts'
import type { Studio } from './store.ts'

/** How long to wait while other reports are made, in seconds. */
const retrySeconds = 15

/** A studio's report for its owners and admins. The report has only the studio's own data, so it
 * needs neither a plan nor the public API. */
export function reportHandlers(context: Context, reports: Reports | undefined) {
  const { base, log } = context

  /** GET /studios/:studio/report */
  const page = managing(({ response, visit: { csrfToken }, studio }) =>
    show(context, response, 200, reportPage({ base, studio, csrfToken })),
  )

  /** POST /studios/:studio/report: sends the file while it is made. */
  const file = managing(async ({ request, response, visit: { csrfToken }, studio }) => {
    if (reports === undefined) throw notFound()
    const [format, on] = [field(request, 'format'), field(request, 'on').trim()]
    const known = isFormat(format)
    if (!known || (on !== '' && !isDay(on))) {
      const day = 'Enter a day from 1900 to 2199 as YYYY-MM-DD, for example 2026-03-31.'
      const draft = { format, on, error: known ? day : 'Choose one of the formats.' }
      return show(context, response, 422, reportPage({ base, studio, csrfToken, draft }))
    }
    const since = performance.now()
    const { heading, content, outcome } = await start(reports, { studioId: studio.id, format, day: on || null })
    response.writeHead(200, {
      'Content-Type': formats[format],
      'Content-Disposition': `attachment; filename="${fileName(studio.name, heading.day, format)}"`,
      'Cache-Control': 'private, no-store',
    })
    // A reader who leaves ends the report. A failure cuts the download: no part looks complete.
    await pipeline(content, response).catch((failure: unknown) => {
      log.warn({ reason: messageOf(failure), format }, 'a report was not finished')
    })
    const made = await outcome.catch(() => undefined)
    if (made === undefined) return
    const { totals, photos } = made
    log.info({ format, items: totals.all.items, photos, ms: Math.round(performance.now() - since) }, 'made a report')
  })

  return { page, file }
}

async function start(reports: Reports, request: Parameters<Reports['start']>[0]) {
  try {
    return await reports.start(request)
  } catch (error) {
    if (!(error instanceof Busy)) throw error
    const why =
      error.reason === 'studio'
        ? 'Another report of this studio is being made. Please try again when it is finished.'
        : 'Other reports are being made. Please try again shortly.'
    throw new PageError(429, 'One report at a time', why, retrySeconds)
  }
}

/** The choices in the form, and why they were refused. */
type ReportDraft = { format: string; on: string; error: string }

type ReportView = { base: string; studio: Studio; csrfToken: string; draft?: ReportDraft | undefined }

const choices = [
  ['pdf', 'PDF, to print or to send'],
  ['xlsx', 'XLSX, for Excel and other spreadsheets'],
  ['csv', 'CSV, for other programs'],
] as const

/** The schedule of equipment of a studio, as a file. */
function reportPage({ base, studio, csrfToken, draft }: ReportView): Page {
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
${alert(error)}
${csrfInput(csrfToken)}
${labelled('format', 'Format', select('format', chosen, choices))}
${labelled(
  'on',
  'Day of the values',
  html`<input id="on" name="on" type="date" min="1900-01-01" max="2199-12-31" value="${draft?.on ?? ''}" aria-describedby="on-hint${error !== undefined && ' error'}">`,
  'A day in the past or future. Leave empty for today.',
)}
<button class="primary">Download the report</button>
<p class="soft">A report with thousands of photos takes up to a minute.</p>
</form>
${disclaimers.map((sentence) => html`<p class="soft">${sentence}</p>\n`)}`,
  }
}
