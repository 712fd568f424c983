import type { Sums } from '../../domain/sums.ts'
import { disclaimers } from '../../report/words.ts'
import { type Content, type Html, html } from '../../web/html.ts'
import { type Page, pathOf } from '../pages/layout.ts'
import type { Studio } from '../store.ts'
import { bar, lineChart } from './charts.ts'
import { noticeOfMaintenance } from './maintenance-reading.ts'
import type { ClosedMonth, Overview } from './overview-reading.ts'
import { noticeOfPolicies } from './policies-reading.ts'
import { counted, coverageLabel, money, month, number, shortMoney, toneOf } from './words.ts'

type OverviewView = { base: string; studio: Studio; overview: Overview; months: readonly ClosedMonth[] }

/** A studio's value, the declared part of it, and what needs attention. */
export function overviewPage(view: OverviewView): Page {
  const { base, studio, overview } = view
  const path = pathOf(base, studio)
  return {
    title: 'Overview',
    studio,
    tab: 'overview',
    content: html`<h1>Overview</h1>
${overview.total.items === 0 ? empty(path, studio) : filled(view, path)}`,
  }
}

function empty(path: string, studio: Studio): Html {
  return html`<div class="note"><p>${studio.name} has no items yet.</p>
${studio.mayManage ? html`<p><a class="button primary" href="${path}/import">Import a file</a></p>` : html`<p>Owners and admins can import them.</p>`}</div>`
}

function filled({ studio, overview, months }: OverviewView, path: string): Html {
  return html`${figures(path, studio, overview.total)}
${attention(path, overview)}
<div class="pair">
${byState(path, studio, overview)}
${byMonth(studio, months)}
</div>
${byCategory(path, studio, overview)}
<footer class="soft small">${disclaimers.map((sentence) => html`<p>${sentence}</p>\n`)}</footer>`
}

function figures(path: string, { currency }: Studio, total: Sums): Html {
  const figure = (name: string, amount: string, detail: Content) =>
    html`<div><dt>${name}</dt><dd><strong>${money(amount, currency)}</strong><span class="soft">${detail}</span></dd></div>\n`
  const some = (count: number, query: string) => html`<a href="${path}/items?${query}">${counted(count, 'item')}</a>`
  return html`<dl class="figures">
${figure('Value', total.estimated_value, html`<a href="${path}/items">${counted(total.items, 'item')}</a>${total.without_value_items > 0 && html`, ${some(total.without_value_items, 'without=value')} without a value`}`)}
${figure('Declared', total.reported_insured_value, declaredDetail(total, currency))}
${figure('Under-Declared', total.under_declared, html`missing for ${some(total.under_declared_items, 'coverage=under_covered')}`)}
${figure('Not Declared', total.not_declared, html`value of ${some(total.not_declared_items, 'coverage=uninsured')}`)}
</dl>`
}

/** Says how much of what is declared exceeds the items' values. */
function declaredDetail({ over_declared, without_value_declared }: Sums, currency: string): string {
  const parts = [
    [over_declared, 'above the value'],
    [without_value_declared, 'for items without a value'],
  ] as const
  const shown = parts.filter(([amount]) => Number(amount) > 0)
  if (shown.length === 0) return 'none of it above the value'
  return shown.map(([amount, what]) => `${money(amount, currency)} of it ${what}`).join(', ')
}

/** What needs attention, each with a link to the list that shows it. */
function attention(path: string, { total, without, policiesEnding, maintenance }: Overview): Html {
  const entries: readonly [count: number, tone: string, text: string, href: string][] = [
    [
      maintenance.overdue,
      'bad',
      `${counted(maintenance.overdue, 'maintenance task is', 'maintenance tasks are')} overdue`,
      'maintenance?show=overdue',
    ],
    [
      maintenance.due,
      'warn',
      `${counted(maintenance.due, 'maintenance task is', 'maintenance tasks are')} due within ${noticeOfMaintenance} days`,
      'maintenance?show=due',
    ],
    [
      policiesEnding,
      'warn',
      `${counted(policiesEnding, 'policy ends', 'policies end')} within ${noticeOfPolicies} days`,
      'policies?show=ending',
    ],
    [
      total.without_value_items,
      'none',
      `${counted(total.without_value_items, 'item has', 'items have')} no value`,
      'items?without=value',
    ],
    [without.photo, 'none', `${counted(without.photo, 'item has', 'items have')} no photo`, 'items?without=photo'],
    [
      without.serial,
      'none',
      `${counted(without.serial, 'item has', 'items have')} no serial number`,
      'items?without=serial',
    ],
  ]
  const shown = entries.filter(([count]) => count > 0)
  return html`<section aria-labelledby="attention"><h2 id="attention">Needs attention</h2>
${shown.length === 0 && html`<p>Nothing. Every item has a value, a photo and a serial number, and nothing is due.</p>`}
<ul class="attention">${shown.map(([, tone, text, href]) => html`<li class="${tone}"><a href="${path}/${href}">${text}</a></li>\n`)}</ul></section>`
}

const shareOf = (part: string, whole: number) => (whole > 0 ? Number(part) / whole : 0)

function byState(path: string, { currency }: Studio, { states }: Overview): Html {
  const most = Math.max(...states.map(({ estimated_value }) => Number(estimated_value)))
  const order = ['fully_covered', 'under_covered', 'uninsured', 'value_unknown', null]
  const rows = order.flatMap((state) => states.filter(({ key }) => key === state))
  return html`<section aria-labelledby="by-coverage"><h2 id="by-coverage">By coverage</h2>
<table class="bars" aria-labelledby="by-coverage"><thead><tr><th scope="col">Coverage</th><th scope="col" class="number">Items</th><th scope="col" class="number">Value</th><th scope="col" class="number wide-only">Declared</th></tr></thead>
<tbody>${rows.map(
    ({ key: state, items, estimated_value, reported_insured_value }) =>
      html`<tr><th scope="row">${state === null ? coverageLabel(null) : html`<a href="${path}/items?coverage=${state}">${coverageLabel(state)}</a>`}${bar([{ tone: toneOf(state), share: shareOf(estimated_value, most) }])}</th><td class="number">${number(items)}</td><td class="number">${state === 'value_unknown' || state === null ? '–' : money(estimated_value, currency)}</td><td class="number wide-only">${money(reported_insured_value, currency)}</td></tr>\n`,
  )}</tbody></table></section>`
}

function byCategory(path: string, { currency }: Studio, { categories }: Overview): Html {
  const most = Math.max(...categories.map(({ estimated_value }) => Number(estimated_value)))
  return html`<section aria-labelledby="by-category"><h2 id="by-category">By category</h2>
<ul class="legend"><li class="good">Declared</li><li class="warn">Under-Declared</li><li class="bad">Not Declared</li></ul>
<table class="bars" aria-labelledby="by-category"><thead><tr><th scope="col">Category</th><th scope="col" class="number wide-only">Items</th><th scope="col" class="number">Value</th><th scope="col" class="number">Missing</th></tr></thead>
<tbody>${categories.map(({ key, items, estimated_value, under_declared, not_declared, left_to_declare }) => {
    const category = key ?? ''
    const missing = shareOf(left_to_declare, most)
    const parts = [
      { tone: 'good', share: shareOf(estimated_value, most) - missing },
      { tone: 'warn', share: shareOf(under_declared, most) },
      { tone: 'bad', share: shareOf(not_declared, most) },
    ]
    return html`<tr><th scope="row"><a href="${path}/items?category=${encodeURIComponent(category)}">${category}</a>${bar(parts)}</th>
<td class="number wide-only">${number(items)}</td><td class="number">${money(estimated_value, currency)}</td><td class="number">${missing > 0 ? money(left_to_declare, currency) : '–'}</td></tr>\n`
  })}</tbody></table></section>`
}

function byMonth({ currency }: Studio, months: readonly ClosedMonth[]): Html {
  const values = (read: (month: ClosedMonth) => string) => months.map((each) => Number(read(each)))
  const table = html`<table class="narrow"><thead><tr><th scope="col">Month</th><th scope="col" class="number">Value</th><th scope="col" class="number">Declared</th></tr></thead>
<tbody>${months.toReversed().map((each) => html`<tr><th scope="row">${month(each.month)}</th><td class="number">${money(each.value, currency)}</td><td class="number">${money(each.declared, currency)}</td></tr>\n`)}</tbody></table>`
  return html`<section aria-labelledby="by-month"><h2 id="by-month">Closed months</h2>
${
  months.length < 2
    ? html`<p>Each month is closed after its last day, and its value is kept. A chart appears when two months are closed.</p>${months.length > 0 && table}`
    : lineChart({
        title: 'Value, and what was declared, at the end of each month',
        labels: months.map((each) => month(each.month)),
        series: [
          { name: 'Value', tone: 'accent', values: values(({ value }) => value) },
          { name: 'Declared', tone: 'good', values: values(({ declared }) => declared) },
        ],
        axis: (amount) => shortMoney(amount, currency),
        table,
      })
}</section>`
}
