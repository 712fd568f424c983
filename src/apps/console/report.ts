import { pipeline } from 'node:stream/promises'
import type { RequestHandler, Response } from 'express'
import { messageOf } from '../../domain/error.ts'
import { html } from '../html.ts'
import { BadDay, formats, isFormat, requireDay } from '../report/options.ts'
import { Busy, type Reports } from '../report/reports.ts'
import { disclaimers, fileName } from '../report/words.ts'
import { type Context, type Locals, managedStudioOf, notFound, PageError, type Visit, visitOf } from './context.ts'
import { field } from './forms.ts'
import { csrfInput, type Page, pathOf } from './pages/layout.ts'
import { show } from './respond.ts'
import type { Studio } from './store.ts'

type Answer = Response<unknown, Locals>

/** How long to wait when others' reports are being made, in seconds. */
const retrySeconds = 15

/**
 * The handlers of a studio's report, for its owners and admins. It is the studio's own data and no part of the API: it needs no plan, and
 * is there where the public API is off.
 */
export function reportHandlers(context: Context, reports: Reports | undefined) {
  const { base, log } = context

  function showForm(response: Answer, visit: Visit, studio: Studio, status: number, draft?: ReportDraft): void {
    show(context, response, status, reportPage({ base, studio, csrfToken: visit.csrfToken, draft }))
  }

  /** GET /studios/:studio/report */
  const page: RequestHandler = (request, response: Answer) => {
    const visit = visitOf(response)
    showForm(response, visit, managedStudioOf(request, visit), 200)
  }

  /** POST /studios/:studio/report: the file, as it is made. */
  const file: RequestHandler = async (request, response: Answer) => {
    const visit = visitOf(response)
    const studio = managedStudioOf(request, visit)
    if (reports === undefined) throw notFound()
    const [format, on] = [field(request, 'format'), field(request, 'on').trim()]
    const error = refusalOf(format, on)
    if (error !== null || !isFormat(format)) {
      return showForm(response, visit, studio, 422, { format, on, error: error ?? '' })
    }
    const since = performance.now()
    const { heading, content, outcome } = await start(reports, {
      studioId: studio.id,
      format,
      day: on === '' ? null : on,
    })
    response.writeHead(200, {
      'Content-Type': formats[format],
      'Content-Disposition': `attachment; filename="${fileName(studio.name, heading.day, format)}"`,
      'Cache-Control': 'private, no-store',
    })
    // A reader who leaves ends the report. A report that fails cuts the download, so that no part of it looks whole.
    await pipeline(content, response).catch((failure: unknown) => {
      log.warn({ reason: messageOf(failure), format }, 'a report was not finished')
    })
    const made = await outcome.catch(() => undefined)
    if (made === undefined) return
    const { totals, photos } = made
    log.info({ format, items: totals.all.items, photos, ms: Math.round(performance.now() - since) }, 'made a report')
  }

  return { page, file }
}

async function start(reports: Reports, request: Parameters<Reports['start']>[0]) {
  try {
    return await reports.start(request)
  } catch (error) {
    if (!(error instanceof Busy)) throw error
    const why =
      error.reason === 'studio'
        ? 'A report of this studio is being made at this moment. Please try again when it is there.'
        : 'Other reports are being made at this moment. Please try again shortly.'
    throw new PageError(429, 'One report at a time', why, retrySeconds)
  }
}

/** What a person reads when the form cannot be used. */
function refusalOf(format: string, on: string): string | null {
  if (!isFormat(format)) return 'Choose one of the formats.'
  try {
    if (on !== '') requireDay(on)
    return null
  } catch (error) {
    if (error instanceof BadDay) return 'Enter a day from 1900 to 2199 as YYYY-MM-DD, for example 2026-03-31.'
    throw error
  }
}

/** What was chosen in the form, and why it was not accepted. */
type ReportDraft = { format: string; on: string; error: string }

type ReportView = { base: string; studio: Studio; csrfToken: string; draft?: ReportDraft | undefined }

const choices: readonly [string, string][] = [
  ['pdf', 'PDF, to print or to send'],
  ['xlsx', 'XLSX, for Excel and other spreadsheets'],
  ['csv', 'CSV, for other programs'],
]

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
