import { html } from '../../html.ts'
import type { Person } from '../store.ts'
import { type Page, pathOf } from './layout.ts'
import { apiOff, whoTurnsItOn } from './words.ts'

const roleWords: Readonly<Record<string, string>> = { owner: 'an owner', admin: 'an admin', member: 'a member' }

/** What owners and admins find of a studio, whether it has API tokens or not. */
const managed = [
  ['members', 'Members'],
  ['import', 'Import'],
  ['report', 'Report'],
  ['audit-log', 'Audit log'],
  ['plan', 'Plan'],
] as const

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
    }</h2><p class="soft">You are ${roleWords[studio.role]}.${
      !studio.publicApi && ` ${apiOff} ${whoTurnsItOn}`
    }</p>${studio.mayManage && html`<p class="choices">${managed.map(([path, label]) => html`<a href="${pathOf(base, studio)}/${path}">${label}<span class="spoken"> of ${studio.name}</span></a> `)}</p>`}</li>`,
)}
</ul>`,
  }
}
