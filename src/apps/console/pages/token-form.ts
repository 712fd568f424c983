import { type Html, html } from '../../html.ts'
import type { Member, Studio } from '../store.ts'
import { csrfInput, pathOf } from './layout.ts'

/** What was typed into the form, and why it was not accepted, if it was sent. */
export type Draft = { name: string; scope: string; expires: string; addresses: string; error?: string }

export type TokenFormView = {
  base: string
  studio: Studio
  /** Whom a token can be scoped to. */
  members: readonly Member[]
  csrfToken: string
  draft?: Draft | undefined
}

/** The form that creates a token. */
export function tokenForm({ base, studio, members, csrfToken, draft }: TokenFormView): Html {
  const error = draft?.error
  return html`<form class="panel" method="post" action="${pathOf(base, studio)}/tokens">
<h2>Create a token</h2>
${error !== undefined && html`<p class="error" id="error" role="alert">${error}</p>`}
${csrfInput(csrfToken)}
<div class="field">
<label for="name">Name</label>
<input id="name" name="name" required autocomplete="off" value="${draft?.name ?? ''}" aria-describedby="name-hint${error !== undefined && ' error'}"${error !== undefined && html` autofocus`}>
<p class="soft" id="name-hint">What it is for, up to 100 characters.</p>
</div>
${members.length > 1 && scopeField(members, draft?.scope)}
${limitFields(draft)}
<button class="primary">Create token</button>
</form>`
}

function scopeField(members: readonly Member[], chosen = ''): Html {
  return html`<div class="field">
<label for="scope">Scope to team member</label>
<select id="scope" name="scope" aria-describedby="scope-hint">
<option value="">Full studio access</option>
${members.map(
  ({ id, name, email, role }) =>
    html`<option value="${id}"${id === chosen && html` selected`}>${name} (${email}, ${role})</option>\n`,
)}
</select>
<p class="soft" id="scope-hint">Either way the token reads the whole inventory of the studio. A scoped token acts as the person chosen; when they
leave the studio, it acts as you. Without a scope it acts as you, and is refused when you leave.</p>
</div>`
}

function limitFields({ expires, addresses }: Partial<Draft> = {}): Html {
  return html`<div class="field">
<label for="expires">Last day</label>
<input id="expires" name="expires" type="date" autocomplete="off" value="${expires ?? ''}" aria-describedby="expires-hint">
<p class="soft" id="expires-hint">The last day on which it works, on the calendar of the studio. Empty: it does not expire.</p>
</div>
<div class="field">
<label for="addresses">Addresses</label>
<textarea id="addresses" name="addresses" rows="2" autocomplete="off" spellcheck="false" aria-describedby="addresses-hint">${addresses ?? ''}</textarea>
<p class="soft" id="addresses-hint">Where its requests may come from: IP addresses or networks such as <code>203.0.113.0/24</code>, up to 50. Empty: anywhere.</p>
</div>`
}
