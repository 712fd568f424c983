import { html } from '../../html.ts'
import type { Person } from '../store.ts'
import { type Page, pathOf } from './layout.ts'
import { apiOff, whoTurnsItOn } from './words.ts'

const beings: Readonly<Record<string, string>> = { owner: 'an owner', admin: 'an admin', member: 'a member' }

/** The studios of a person: for somebody with several, or with none that has API tokens. */
export function studiosPage(base: string, { studios }: Person): Page {
  return {
    title: 'Studios',
    content: html`<h1>Studios</h1>
${studios.length === 0 && html`<p>You are not a member of any studio.</p>`}
<ul class="cards">
${studios.map(
  (studio) =>
    html`<li><h2>${
      studio.publicApi ? html`<a href="${pathOf(base, studio)}/tokens">${studio.name}</a>` : studio.name
    }</h2><p class="soft">You are ${beings[studio.role]}.${
      !studio.publicApi && ` ${apiOff} ${whoTurnsItOn}`
    }</p>${studio.mayManage && html`<p><a href="${pathOf(base, studio)}/members">Members<span class="spoken"> of ${studio.name}</span></a> <a href="${pathOf(base, studio)}/report">Report<span class="spoken"> of ${studio.name}</span></a> <a href="${pathOf(base, studio)}/plan">Plan<span class="spoken"> of ${studio.name}</span></a></p>`}</li>`,
)}
</ul>`,
  }
}
