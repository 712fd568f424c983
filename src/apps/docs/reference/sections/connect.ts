import { type Html, html } from '../../../html.ts'
import type { ReferenceOptions } from '../options.ts'
import { section, table } from '../parts.ts'

const tools = [
  ['Try requests', 'Postman, Bruno'],
  ['Automate', 'Zapier, n8n, Make, Power Automate, Node-RED'],
  ['Copy into a warehouse', 'Airbyte, dlt, Meltano'],
  ['Analyse', 'Excel, LibreOffice, Google Sheets, Power BI, Metabase, Superset, Grafana, Tableau, pandas, R'],
  ['Ask AI assistants', 'Claude, Cursor, VS Code and others, by the Model Context Protocol'],
  ['Program', html`TypeScript, Python, C#; any generator, from <a href="openapi.json">openapi.json</a>`],
] as const

/** Which way to the data is the right one for what, and the tools for which there are recipes. */
export function connect({ places }: ReferenceOptions): Html {
  const graphql = places.graphql === undefined ? 'GraphQL' : html`<a href="${places.graphql}">GraphQL</a>`
  const console = places.console === undefined ? 'app' : html`<a href="${places.console}">console</a>`
  const about = html`<p><strong>Values and sums of many items.</strong> The lists of this API have no values: asking for the detail of each
item would take one request an item. Take one of these instead:</p>
<ul>
<li><strong>SQL</strong>, for BI tools and spreadsheets: a read-only PostgreSQL login that sees the one studio, with exact amounts. The operator of
this service creates it with <code>studio-inventory analyst create</code>.</li>
<li><strong>${graphql}</strong>, for programs: values, sums and groups in one request.</li>
<li><strong>The report</strong>, for accountants and insurers: every item with its value on any day, as PDF, XLSX or CSV. Owners and admins
download it in the ${console}.</li>
</ul>
<p><strong>Recipes</strong> for these tools are in the folder <code>integrations</code> of the software’s source code:</p>
${table('Tools with a recipe', ['To', 'Tools'], tools)}
<p>Any list is also available as CSV: send <code>Accept: text/csv</code>.</p>`
  return section('connect', 'Connect a tool', about)
}
