import { type Content, type Html, html } from '../web/html.ts'
import type { Context } from './context.ts'
import { parametersOf } from './forms.ts'
import { notFound, requireManager } from './guards.ts'
import { kindInWords } from './import/choices.ts'
import { moment, type Page, pathOf, stackedTable } from './pages/layout.ts'
import { show } from './respond.ts'
import type { LogEntry, Studio } from './store.ts'

/** console.list_audit_log returns this many entries. */
const perPage = 100

const events: Readonly<Record<string, string>> = {
  'token.issued': 'Token created',
  'token.revoked': 'Token revoked',
  'member.added': 'Member added',
  'member.role_changed': 'Role changed',
  'member.removed': 'Member removed',
  'studio.renamed': 'Studio renamed',
  'studio.currency_changed': 'Currency corrected',
  'studio.time_zone_changed': 'Time zone changed',
  'studio.financial_year_changed': 'Financial year changed',
  'studio.first_period_changed': 'First period changed',
  'studio.category_changed': 'Depreciation of a category changed',
  'studio.archived': 'Studio archived',
  'studio.restored': 'Studio restored',
  'analyst.created': 'Analyst login created',
  'analyst.ended': 'Analyst login ended',
  import: 'Records imported',
}

/** GET /studios/:studio/audit-log?before=… */
export function auditLogHandler(context: Context) {
  const { store, base } = context
  return requireManager(async ({ request, response, session, studio }) => {
    const before = parametersOf(request).get('before')
    if (before !== null && !/^\d{1,18}$/.test(before)) throw notFound()
    const entries = await store.auditLog(session.digest, studio.id, before)
    show(context, response, 200, auditLogPage(base, studio, entries))
  })
}

/** Who created or revoked tokens, imported files, and changed members.
 * Serves: "Token issuance and revocation are written to an audit log inside the app". */
function auditLogPage(base: string, studio: Studio, entries: readonly LogEntry[]): Page {
  const older = entries.length === perPage ? entries.at(-1)?.id : undefined
  return {
    title: 'Audit log',
    studio,
    tab: 'audit-log',
    content: html`<h1 id="audit-log">Audit log</h1>
<p class="soft">Who created and revoked tokens, imported files, and changed members and the studio. Entries cannot be changed or removed.</p>
${entries.length === 0 && html`<p>There are no entries.</p>`}
${entries.length > 0 && table(entries)}
${older !== undefined && html`<p class="on-screen"><a href="${pathOf(base, studio)}/audit-log?before=${older}">Older entries</a></p>`}`,
  }
}

const columns = [{ label: 'Time' }, { label: 'Event' }, { label: 'Subject' }, { label: 'By' }, { label: 'Detail' }]

function table(entries: readonly LogEntry[]): Html {
  const rows = entries.map((entry) => ({
    cells: [
      moment(entry.at),
      events[entry.event] ?? entry.event,
      subject(entry),
      html`${entry.actor}<br><span class="soft">${entry.actorEmail}</span>`,
      entry.scope === null ? detailOf(entry) : `Scoped to ${entry.scope}`,
    ],
  }))
  return stackedTable('audit-log', columns, rows)
}

function subject({ name, prefix, member, imported }: LogEntry): Content {
  if (imported !== null) {
    const { kind, file, added, changed } = imported
    return html`<span class="typed">${file}</span><br><span class="soft">${kindInWords(kind)}: ${added} added, ${changed} changed</span>`
  }
  if (name !== null) return html`<span class="typed">${name}</span><br><code>${prefix}…</code>`
  return member === null ? 'The studio' : html`<span class="typed">${member}</span>`
}

function detailOf({ event, detail }: LogEntry): string | null {
  return event === 'studio.renamed' ? `Formerly ${detail}` : detail
}
