import { disclaimers } from '../../report/words.ts'
import { type Content, type Html, html } from '../../web/html.ts'
import { type Page, pathOf, stackedTable } from '../pages/layout.ts'
import type { Studio } from '../store.ts'
import { bar } from './charts.ts'
import { listLinks } from './maintenance-page.ts'
import { addressOf, type Paged, pager } from './paging.ts'
import { type Declared, type InsuredItem, type Policy, type PolicyList, policyLists } from './policies-reading.ts'
import { counted, day, money, nothing, number, or, words } from './words.ts'

type Shown = Policy & Declared

type View = { base: string; studio: Studio; paged: Paged; today: string }

type PoliciesView = View & { list: PolicyList; policies: readonly Shown[]; total: number }

/** The policies of a studio, with what is declared under each. */
export function policiesPage({ base, studio, list, policies, total, paged, today }: PoliciesView): Page {
  const path = `${pathOf(base, studio)}/policies`
  return {
    title: 'Policies',
    studio,
    tab: 'policies',
    content: html`<h1 id="policies">Policies</h1>
${listLinks(path, 'Policies', list, policyLists)}
${policies.length === 0 ? html`<p>There are no policies in this list.</p>` : table(path, studio, policies, today)}
${pager(paged, total, (page) => addressOf(path, { show: list, page: page > 1 ? page : '' }))}`,
  }
}

const columns = [
  { label: 'Policy' },
  { label: 'Dates' },
  { label: 'Items', number: true },
  { label: 'Limit', number: true },
  { label: 'Deductible', number: true },
  { label: 'Declared', number: true },
]

function table(path: string, { currency }: Studio, policies: readonly Shown[], today: string): Html {
  const amount = (decimal: string | null) => (decimal === null ? 'None set' : money(decimal, currency))
  const rows = policies.map((policy) => ({
    cells: [
      html`<a class="typed" href="${path}/${policy.id}">${policy.name}</a><br><span class="soft typed">${[policy.carrier, policy.number].filter(Boolean).join(', ')}</span>`,
      html`${dates(policy)}<br>${standing(policy, today)}`,
      number(policy.items),
      amount(policy.limit),
      amount(policy.deductible),
      html`${money(policy.declared, currency)}${against(policy)}`,
    ],
  }))
  return stackedTable('policies', columns, rows)
}

function dates({ start, end }: Policy): Content {
  if (start === null) return end === null ? 'No dates' : `Until ${day(end)}`
  return end === null ? `From ${day(start)}` : `${day(start)} to ${day(end)}`
}

const dayMs = 24 * 60 * 60 * 1000

/** Whether a policy is active, and how soon it ends. */
function standing({ active, archived, start, end }: Policy, today: string): Html {
  if (archived) return html`<span class="badge">Archived</span>`
  if (!active)
    return html`<span class="badge">${start !== null && start > today ? 'Not started' : start === null ? 'No start' : 'Ended'}</span>`
  const days = end === null ? null : Math.round((Date.parse(end) - Date.parse(today)) / dayMs)
  if (days === null || days > 60) return html`<span class="badge good">Active</span>`
  return html`<span class="badge warn">${days === 0 ? 'Ends today' : `Ends in ${counted(days, 'day')}`}</span>`
}

/** Shows what is declared as a share of the policy's limit. */
function against({ declared, limit }: Shown): Content {
  if (limit === null || Number(limit) === 0) return null
  const share = Number(declared) / Number(limit)
  return html`${bar([{ tone: share > 1 ? 'bad' : 'accent', share: Math.min(share, 1) }])}<span class="soft small">${share > 1 ? `${number(Math.round((share - 1) * 100))}% over the limit` : `${number(Math.round(share * 100))}% of the limit`}</span>`
}

type PolicyView = View & { policy: Shown; items: readonly InsuredItem[]; assigned: number }

/** One policy, with the items assigned to it. */
export function policyPage({ base, studio, paged, today, policy, items, assigned }: PolicyView): Page {
  const path = pathOf(base, studio)
  const { currency } = studio
  const fact = (name: string, content: Content) => html`<div><dt>${name}</dt><dd>${content}</dd></div>\n`
  const typed = (text: string | null) => or(text, (known) => html`<span class="typed">${known}</span>`)
  const amount = (decimal: string | null) =>
    decimal === null ? html`<span class="soft">None set</span>` : money(decimal, currency)
  return {
    title: policy.name,
    studio,
    tab: 'policies',
    content: html`<p class="on-screen"><a href="${path}/policies">All policies</a></p>
<h1 class="typed">${policy.name} ${standing(policy, today)}</h1>
<dl class="facts">
${fact('Carrier', typed(policy.carrier))}${fact('Policy number', typed(policy.number))}${fact('Type', policy.type === null ? nothing : words(policy.type))}${fact('Dates', dates(policy))}${fact('Overall limit', amount(policy.limit))}${fact('Deductible', amount(policy.deductible))}${fact('Declared', html`${money(policy.declared, currency)}${against(policy)}${policy.unknown > 0 && html` <span class="soft">${counted(policy.unknown, 'item')} without an amount</span>`}${policy.repeated > 0 && html` <span class="soft">${counted(policy.repeated, 'item')} with several assignments today: their amounts are added</span>`}`)}${fact('Covered perils', typed(policy.perils?.join(', ') ?? null))}${fact('Locations', typed(policy.locations))}
</dl>
<section><h2 id="policy-items">Items</h2>
${items.length === 0 ? html`<p>No items are assigned to this policy.</p>` : html`<p class="soft">Declared are the items whose dates include today, while the policy is active.</p>${itemsTable(path, currency, items)}`}
${pager(paged, assigned, (page) => addressOf(`${path}/policies/${policy.id}`, { page: page > 1 ? page : '' }))}</section>
<footer class="soft small"><p>${disclaimers[0]}</p></footer>`,
  }
}

const itemColumns = [
  { label: 'Item' },
  { label: 'Category' },
  { label: 'From' },
  { label: 'Until' },
  { label: 'Value', number: true },
  { label: 'Declared', number: true },
]

function itemsTable(path: string, currency: string, items: readonly InsuredItem[]): Html {
  const rows = items.map(({ id, name, category, value, declared, primary, from, until }) => ({
    cells: [
      html`<a class="typed" href="${path}/items/${id}">${name}</a>${primary && html` <span class="badge">Primary</span>`}`,
      category,
      from && day(from),
      until === null ? 'Open-ended' : day(until),
      value && money(value, currency),
      declared === null ? 'Not recorded' : money(declared, currency),
    ],
  }))
  return stackedTable('policy-items', itemColumns, rows)
}
