import { prefix } from '../../../../api/operations.ts'
import { codeBlock } from '../../../code.ts'
import { type Html, html } from '../../../html.ts'
import type { ReferenceOptions } from '../options.ts'
import { section } from '../parts.ts'

/** What the API is, in a few sentences. */
export function overview({ publicUrl }: ReferenceOptions): Html {
  const about = html`<p>A read-only REST API over a studio’s equipment: what it owns, where it is, how it is serviced, which insurance
policies it is declared under and what it is worth. It is for accounting tools, BI tools and no-code automations.</p>
<ul>
<li>Everything is a <code>GET</code> below <code>${publicUrl}${prefix}</code> and answers JSON. <code>HEAD</code> works too.</li>
<li>A token reads only the data of the studio it belongs to.</li>
<li>Ids are UUIDs, dates are <code>YYYY-MM-DD</code>, timestamps are UTC with milliseconds, and money is a JSON number in
the currency of the account.</li>
<li>Archived items are not shown. Nothing can be written, and nothing is pushed: <a href="#changes">poll to keep
a copy</a>.</li>
<li>The version is the <code>/v1</code> in the address. Reserved: <code>agreed_value_from_policy</code> is always
null, and the <code>value_source</code> <code>agreed</code> does not occur. Tolerate both.</li>
<li>Endpoints, parameters and fields may be added: ignore what you do not know. Nothing is removed from
<code>/v1</code>; if it is ever retired, <code>Deprecation</code> and <code>Sunset</code> headers announce it at least 12
months before.</li>
</ul>
<p>The OpenAPI 3.1 description is the machine-readable version: <a href="openapi.json">openapi.json</a> or
<a href="openapi.yaml">openapi.yaml</a>.</p>`
  return section('overview', 'What it is', about, codeBlock('Base address', `${publicUrl}${prefix}`))
}
