import { html } from '../../html.ts'
import type { DemoPerson } from '../demo-issuer.ts'
import { csrfInput, type Page } from './layout.ts'

/** Where people are sent who are not signed in. */
export function signInPage(signInUrl: string): Page {
  return {
    title: 'Sign in',
    content: html`<h1>Sign in</h1>
<p>API tokens are managed by the owners and admins of a studio.</p>
<p><a class="button" href="${signInUrl}">Sign in</a></p>`,
  }
}

const roles = ['owner', 'admin', 'member'] as const

/** The people of the demo by role; whoever reads this page may be any of them. */
export function demoSignInPage(base: string, people: readonly DemoPerson[], csrfToken: string): Page {
  return {
    title: 'Sign in to the demo',
    content: html`<h1>Sign in to the demo</h1>
<p class="note">This page exists because the service runs with its embedded demo database. Anybody who can open it can be
any of these people. With a database of your own, people sign in at your own issuer.</p>
${roles.map(
  (role) => html`<section class="people">
<h2>${{ owner: 'Owners', admin: 'Admins', member: 'Members' }[role]}</h2>
<ul>
${people
  .filter((person) => person.role === role)
  .map(
    (person) => html`<li><form method="post" action="${base}/sign-in/demo">
${csrfInput(csrfToken)}<input type="hidden" name="email" value="${person.email}">
<button>${person.name}</button> <span class="soft">${person.studio}</span></form></li>`,
  )}
</ul>
</section>`,
)}`,
  }
}

/** Answers a sign-in. The browser sends a SameSite=Strict cookie only to a page that this site led to, so this one leads on. */
export function signedInPage(base: string): Page {
  return {
    title: 'Signed in',
    goOnTo: base,
    content: html`<h1>Signed in</h1><p><a href="${base}">Continue to the API tokens</a></p>`,
  }
}
