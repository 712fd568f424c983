import { pipeline } from 'node:stream/promises'
import { Busy } from '../child-process/start-child.ts'
import { isDay } from '../domain/dates.ts'
import { messageOf } from '../domain/text.ts'
import { formats, isFormat, maxPreparedFor } from '../report/options.ts'
import type { Reports } from '../report/reports.ts'
import { disclaimers, fileName, policyLabel } from '../report/words.ts'
import { html } from '../web/html.ts'
import type { Context } from './context.ts'
import { field } from './forms.ts'
import { notFound, PageError, requireManager, type StudioRequest } from './guards.ts'
import { csrfInput, type Page, pathOf, refusable, select } from './pages/layout.ts'
import { show } from './respond.ts'
import type { Studio } from './store.ts'
import { asMember, type MemberReading } from './studio/member-session.ts'

/** How long to wait while other reports are made, in seconds. */
const retrySeconds = 15

/** A studio's report for its owners and admins. The report has only the studio's own data, so it
 * needs neither a plan nor the public API. */
export function reportHandlers(context: Context, reports: Reports | undefined) {
  const { base, log } = context

  const form = async (
    { response, session: { csrfToken, digest }, studio }: StudioRequest,
    status: number,
    refused?: Refused,
  ) => {
    const policies = await asMember(context.reader, digest, studio.id, readPolicyChoices)
    show(context, response, status, reportPage({ base, studio, csrfToken, policies, ...refused }))
  }

  /** GET /studios/:studio/report */
  const page = requireManager((at) => form(at, 200))

  /** POST /studios/:studio/report: sends the file while it is made. */
  const file = requireManager(async (at) => {
    const { request, response, studio } = at
    if (reports === undefined) throw notFound()
    const draft = Object.fromEntries(fields.map((name) => [name, field(request, name).trim()])) as Draft
    const { format, on, policy, prepared_for: preparedFor } = draft
    const errors = refusals(draft)
    if (!isFormat(format) || Object.keys(errors).length > 0) return form(at, 422, { draft, errors })
    const since = performance.now()
    const wanted = { studioId: studio.id, format, day: on || null, policy: policy || undefined, preparedFor }
    const started = await start(reports, wanted).catch((error: unknown) => {
      if (error instanceof Error && error.name === 'PolicyRefused') return error.message
      throw error
    })
    if (typeof started === 'string') return form(at, 422, { draft, errors: { policy: sentence(started) } })
    const { heading, content, outcome } = started
    response.writeHead(200, {
      'Content-Type': formats[format],
      'Content-Disposition': `attachment; filename="${fileName(studio.name, heading.day, format, heading.policy?.name)}"`,
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

const fields = ['format', 'on', 'policy', 'prepared_for'] as const

/** What was typed into the form. */
type Draft = Record<(typeof fields)[number], string>

/** Why fields were refused. */
type Refusals = Partial<Draft>

type Refused = { draft: Draft; errors: Refusals }

function refusals({ format, on, prepared_for: preparedFor }: Draft): Refusals {
  return {
    ...(!isFormat(format) && { format: 'Choose one of the formats.' }),
    ...(on !== '' && !isDay(on) && { on: 'Enter a day from 1900 to 2199 as YYYY-MM-DD, for example 2026-03-31.' }),
    ...(preparedFor.length > maxPreparedFor && {
      prepared_for: `Shorten it to ${maxPreparedFor} characters: it has ${preparedFor.length}.`,
    }),
  }
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

type PolicyChoice = { id: string; name: string; number: string | null; carrier: string | null; archived: boolean }

/** The studio's policies, those in force first. */
const readPolicyChoices = ({ query }: MemberReading) =>
  query<PolicyChoice>(
    `select p.id, p.name, p.policy_number as number, p.carrier, p.archived from api_v1.policies p
     order by p.active desc, p.archived, p.name, p.id`,
  )

type ReportView = Partial<Refused> & {
  base: string
  studio: Studio
  csrfToken: string
  policies: readonly PolicyChoice[]
}

const choices = [
  ['pdf', 'PDF, to print or to send'],
  ['xlsx', 'XLSX, for Excel and other spreadsheets'],
  ['csv', 'CSV, for other programs'],
] as const

/** The schedule of equipment of a studio, as a file. */
function reportPage({ base, studio, csrfToken, policies, draft, errors = {} }: ReportView): Page {
  const wrong = Object.entries(errors)
  const chosen = choices.some(([format]) => format === draft?.format) ? draft?.format : 'pdf'
  const policyChoices = [
    ['', 'All equipment'],
    ...policies.map((policy) => [policy.id, policyLabel(policy)] as const),
  ] as const
  return {
    title: 'Report',
    studio,
    tab: 'report',
    content: html`<h1>Report</h1>
<p class="soft">The schedule of equipment of ${studio.name} for an insurer or an accountant: every item with its serial number, location,
value, declared value, policies and photo, and totals by category, location and policy.</p>
<form class="panel" method="post" action="${pathOf(base, studio)}/report" data-download>
<h2>Make a report</h2>
${wrong.length > 0 && html`<p class="error" role="alert">No report was made. ${wrong.map(([name, why]) => html`<a href="#${name}">${why}</a> `)}</p>`}
${csrfInput(csrfToken)}
${refusable(errors, 'format', 'Format', (attributes) => select('format', chosen, choices, attributes), 'The PDF can be signed, and has tags for screen readers.')}
${refusable(
  errors,
  'on',
  'Day of the values',
  (attributes) =>
    html`<input id="on" name="on" type="date" min="1900-01-01" max="2199-12-31" value="${draft?.on ?? ''}"${attributes}>`,
  'A day in the past or future. Leave empty for today.',
)}
${refusable(
  errors,
  'policy',
  'Policy',
  (attributes) => select('policy', draft?.policy, policyChoices, attributes),
  'One policy has the items declared under it, and what is declared against its limit. It must be in force on the day.',
)}
${refusable(
  errors,
  'prepared_for',
  'Prepared for',
  (attributes) =>
    html`<input id="prepared_for" name="prepared_for" autocomplete="off" maxlength="${maxPreparedFor}" value="${draft?.prepared_for ?? ''}"${attributes}>`,
  'The insurer or accountant, on the first page. Optional. A CSV has no such page.',
)}
<button class="primary">Download the report</button>
<p class="soft">A report with thousands of photos takes up to a minute.</p>
</form>
${disclaimers.map((sentence) => html`<p class="soft">${sentence}</p>\n`)}`,
  }
}
