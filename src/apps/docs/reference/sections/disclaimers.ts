import { disclaimers } from '../../../../http/envelope.ts'
import { type Html, html } from '../../../html.ts'
import { section } from '../parts.ts'

/** The disclaimers of `_meta.disclaimers`, word for word, where `_meta.documentation_url` leads. */
export function adequacyDisclaimer(): Html {
  return section(
    'adequacy-disclaimer',
    'Disclaimers',
    html`<p>These statements are part of every answer, as <code>_meta.disclaimers</code>:</p>
<ul class="disclaimers">
${disclaimers.map((text) => html`<li>${text}</li>`)}
</ul>
<p><code>coverage_state</code> and <code>gap_amount</code> say whether the value of an item is recorded and declared. They
do not say whether insurance would pay out: several policies, deductibles and perils are not modelled. Ask your insurer or
broker.</p>`,
  )
}
