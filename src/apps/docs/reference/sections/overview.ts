import { type Html, html } from '../../../html.ts'
import type { ReferenceOptions } from '../options.ts'

/** What the API is, in a few sentences. */
export function overview({ publicUrl }: ReferenceOptions): Html {
  return html`<section id="overview">
<h2>What it is</h2>
<p>A read-only REST API over a studio’s equipment: what it owns, where it stands, how it is serviced, which insurance
policies it is declared under and what it is worth. It is made for accounting tools, BI tools and no-code automations.</p>
<ul>
<li>Everything is a <code>GET</code> below <code>${publicUrl}/v1</code> and answers JSON. <code>HEAD</code> works too.</li>
<li>A token reads the data of the one studio it belongs to, and no other.</li>
<li>Ids are UUIDs, dates are <code>YYYY-MM-DD</code>, timestamps are UTC with milliseconds, and money is a JSON number in
the currency of the account.</li>
<li>Archived items are not shown. Nothing can be written, and nothing is pushed: <a href="#changes">poll for
changes</a>.</li>
<li>The version is the <code>/v1</code> in the address. Reserved in it: <code>agreed_value_from_policy</code> is always
null, and the <code>value_source</code> <code>agreed</code> does not occur. Tolerate both.</li>
<li>Endpoints, parameters and fields may be added: ignore what you do not know. Nothing is taken out of
<code>/v1</code>; should it ever end, <code>Deprecation</code> and <code>Sunset</code> headers say so at least 12 months
before.</li>
</ul>
<p>Machines read the same in the OpenAPI 3.1 description: <a href="openapi.json">openapi.json</a> or
<a href="openapi.yaml">openapi.yaml</a>.</p>
</section>`
}
