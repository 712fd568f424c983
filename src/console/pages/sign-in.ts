import { type Html, html } from '../../web/html.ts'
import type { DemoPerson } from '../identity/provider.ts'
import type { SavedRequest } from '../saved-request.ts'
import { csrfInput, type Page } from './layout.ts'

/** What is special about a person of the demo. */
const planRemarks = { active: '', trial: ', on a trial', lapsed: ', whose plan has lapsed' } as const

/** A provider on the sign-in page. */
type Choice = { number: number; name: string; away: boolean }

/** The page for people who are not signed in. */
export function signInPage(base: string, choices: readonly Choice[], kept: SavedRequest | null): Page {
  return {
    title: 'Sign in',
    content: html`<h1>Sign in</h1>
${sessionEnded(kept)}
<p>Sign in to see your studio. Owners and admins also manage its API tokens and members.</p>
<ul class="providers">
${choices.map((choice) => providerChoice(base, choice))}
</ul>`,
  }
}

function providerChoice(base: string, { number, name, away }: Choice): Html {
  const path = `${base}/sign-in/start${number === 1 ? '' : `/${number}`}`
  return html`<li><a class="button${away ? '' : ' primary'}" href="${path}">Sign in with ${name}</a>
${away && html`<p class="soft">${name} cannot be reached at the moment. Please try again shortly.</p>`}</li>
`
}

/** What a person reads after the session ended in the middle of something. */
function sessionEnded(kept: SavedRequest | null): Html {
  if (!kept?.ended) return html``
  return html`<div class="notice" role="status">
<p><strong>Your session ended.</strong> Sign in again to continue where you were.</p>
${kept.sent && html`<p>The form that you sent was not processed.${kept.draft && ' What you typed is kept for 30 minutes.'}</p>`}
</div>`
}

type DemoSignInView = {
  base: string
  people: readonly DemoPerson[]
  csrfToken: string
  kept: SavedRequest | null
}

/** The people of the demo. The reader may sign in as any of them. */
export function demoSignInPage({ base, people, csrfToken, kept }: DemoSignInView): Page {
  const form = (person: DemoPerson) => html`<li><form method="post" action="${base}/sign-in/demo">
${csrfInput(csrfToken)}<input type="hidden" name="email" value="${person.email}">
<button>${person.name}</button> <span class="soft">${memberships(person)}</span></form></li>\n`
  return {
    title: 'Sign in to the demo',
    content: html`<h1>Sign in to the demo</h1>
${sessionEnded(kept)}
<p class="note">The service is running with its demo database, so anyone who can open this page can sign in as any of these people. With your own
database, people sign in with your identity provider.</p>
<p>Members see the studio and its tokens. Owners and admins also manage tokens and members, import files and download the report.</p>
<ul class="people">
${people.map(form)}
</ul>`,
  }
}

const memberships = (person: DemoPerson) =>
  person.memberships.map(({ role, studio, plan }) => `${role}, ${studio}${planRemarks[plan]}`).join('; ')

/** Answers a sign-in. The browser sends a SameSite=Strict cookie only after a link on this site. */
export function signedInPage(base: string): Page {
  return {
    title: 'Signed in',
    goOnTo: base,
    content: html`<h1>Signed in</h1><p><a href="${base}">Continue to the console</a></p>`,
  }
}

/** Answers a sign-out. A page, as browsers follow no redirect of a form to another site. */
export function signedOutPage(name: string, logoutUrl: string): Page {
  return {
    title: 'Signed out',
    goOnTo: logoutUrl,
    content: html`<h1>Signed out</h1><p>You are signed out of the console.
<a href="${logoutUrl}">Continue to sign out of ${name}</a></p>`,
  }
}
