import { disclaimers, sourceLabels } from '../../report/words.ts'
import { type Content, type Html, html } from '../../web/html.ts'
import { moment, type Page, pathOf, stackedTable } from '../pages/layout.ts'
import type { Studio } from '../store.ts'
import { lineChart } from './charts.ts'
import type { Assignment, Item, Workings, Year } from './item-reading.ts'
import { maintenanceTable } from './maintenance-page.ts'
import type { MaintenanceRecord } from './maintenance-reading.ts'
import { counted, coverageBadge, day, money, nothing, or, shortMoney, words } from './words.ts'

type ItemView = {
  base: string
  studio: Studio
  item: Item
  /** Undefined when the item's valuation is not available. */
  workings: Workings | undefined
  years: readonly Year[]
  assignments: readonly Assignment[]
  maintenance: readonly MaintenanceRecord[]
  /** Today on the studio's calendar. */
  today: string
}

/** One item: its photos, every field, why it is worth what it is, its policies and maintenance. */
export function itemPage(view: ItemView): Page {
  const { base, studio, item, assignments, maintenance, today } = view
  const path = pathOf(base, studio)
  return {
    title: item.name,
    studio,
    tab: 'items',
    content: html`<p class="on-screen"><a href="${path}/items">All items</a></p>
<h1 class="typed">${item.name} ${coverageBadge(item.coverage)}</h1>
${item.photos.length > 0 && html`<ul class="photos">${item.photos.map((photo, at) => html`<li><img src="${path}/photos/${photo}/large" alt="Photo ${at + 1} of ${item.photos.length}" height="240"${at > 1 && html` loading="lazy"`}></li>\n`)}</ul>`}
${value(view)}
${facts(view)}
<section><h2 id="item-policies">Policies</h2>
${assignments.length === 0 ? html`<p>This item is not assigned to a policy.</p>` : policies(path, studio, assignments)}</section>
<section><h2 id="item-maintenance">Maintenance</h2>
${maintenance.length === 0 ? html`<p>No maintenance is recorded.</p>` : maintenanceTable('item-maintenance', path, studio, maintenance, today, false)}</section>
<footer class="soft small">${disclaimers.map((sentence) => html`<p>${sentence}</p>\n`)}</footer>`,
  }
}

function value({ studio: { currency }, item, workings, years, today }: ItemView): Html {
  const { source, gap } = item
  const missing = gap !== null && Number(gap) > 0
  return html`<section><h2 id="value">Value</h2>
<div class="reason"><p><strong>${item.value === null ? 'Unknown' : money(item.value, currency)}</strong>${source !== null && source !== 'unknown' && html` <span class="soft">${sourceLabels[source] ?? source}</span>`}</p>
${workings && html`<p>${reasonOf(workings, source)}</p>`}
<p>Declared: ${money(item.declared, currency)}${missing && html`, ${money(gap, currency)} less than the value`}${gap !== null && Number(gap) < 0 && html`, ${money(gap.slice(1), currency)} more than the value`}.</p>
${workings && workings.passedOver.length > 0 && html`<details><summary>Why other sources were not used</summary><ul>${workings.passedOver.map((line) => html`<li>${passedOver(line, currency)}</li>\n`)}</ul></details>`}</div>
${years.length > 0 && schedule(currency, years, today)}</section>`
}

/** Explains the value: by the arithmetic of depreciation, or by the source that gave the amount. */
function reasonOf({ arithmetic }: Workings, source: string | null): Content {
  if (source === 'depreciated') return html`<code>${arithmetic}</code>`
  const reason = arithmetic.replace(/^[\d.]+, /, '')
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`
}

/** Labels a source that does not count.
 * @param line `market: no market value` or `depreciated: 23.22 comes after manual` */
function passedOver(line: string, currency: string): string {
  const label = (source: string) => sourceLabels[source] ?? source
  const [source = '', ...why] = line.split(': ')
  const [, amount, first] = /^([\d.]+) comes after (\w+)$/.exec(why.join(': ')) ?? []
  if (amount === undefined || first === undefined) return `${label(source)}: ${why.join(': ')}`
  return `${label(source)}: ${money(amount, currency)}, but ${label(first).toLowerCase()} comes first`
}

const dayMs = 24 * 60 * 60 * 1000

/** The values at the ends of the years of an item's life. */
function schedule(currency: string, years: readonly Year[], today: string): Html {
  const at = (iso: string) => Date.parse(iso) / dayMs
  const [first, last] = [years[0], years.at(-1)]
  if (first === undefined || last === undefined) return html``
  const passed = years.findIndex(({ endsOn }) => endsOn >= today)
  const within = years[passed]
  const mark =
    within !== undefined && today >= first.startsOn
      ? {
          at: passed + (at(today) - at(within.startsOn)) / (at(within.endsOn) + 1 - at(within.startsOn)),
          label: 'Today',
        }
      : undefined
  return lineChart({
    title: 'Depreciation schedule',
    labels: [day(first.startsOn), ...years.map(({ endsOn }) => day(endsOn))],
    series: [
      {
        name: 'Depreciated value',
        tone: 'accent',
        values: [first.opening, ...years.map(({ closing }) => closing)].map(Number),
      },
    ],
    axis: (amount) => shortMoney(amount, currency),
    mark,
    table: stackedTable(
      'value',
      scheduleColumns,
      years.map(({ startsOn, endsOn, opening, charge, closing }) => ({
        cells: [
          `${day(startsOn)} to ${day(endsOn)}`,
          ...[opening, charge, closing].map((each) => money(each, currency)),
        ],
      })),
    ),
  })
}

const scheduleColumns = [
  { label: 'Year' },
  ...['Value before', 'Depreciation', 'Value after'].map((label) => ({ label, number: true })),
]

function facts({ studio: { currency }, item, workings }: ItemView): Html {
  const fact = (name: string, content: Content) => html`<div><dt>${name}</dt><dd>${content}</dd></div>\n`
  const typed = (text: string | null) => or(text, (known) => html`<span class="typed">${known}</span>`)
  const amount = (decimal: string | null) => or(decimal, (known) => money(known, currency))
  const place = item.above === null ? item.location : `${item.above} › ${item.location}`
  return html`<section aria-labelledby="details"><h2 id="details">Details</h2>
<dl class="facts">
${fact('Category', item.category)}${fact('Location', typed(place))}${fact('Manufacturer', typed(item.manufacturer))}${fact('Model', typed(item.model))}${fact('Serial number', typed(item.serialNumber))}${fact('Barcode', typed(item.barcode))}${fact('Key', typed(item.key ?? ''))}${fact('Tags', item.tags.length === 0 ? 'None' : typed(item.tags.join(', ')))}${fact('Acquired', or(item.acquired, day))}${fact('Purchase price', Number(item.purchasePrice) === 0 ? nothing : amount(item.purchasePrice))}${fact('Depreciation method', words(item.method))}
${
  workings !== undefined &&
  html`${fact('Useful life', workings.lifeMonths === null ? nothing : html`${counted(workings.lifeMonths, 'month')} <span class="soft">${workings.lifeFrom === 'category' && 'by category'}</span>`)}${fact('Residual value', amount(workings.residual))}${fact('Market value', html`${amount(workings.marketValue)}${item.marketAsOf !== null && html` <span class="soft">of ${day(item.marketAsOf)}</span>`}`)}${fact('Own estimate', amount(workings.manualValue))}${fact('Replacement cost', amount(workings.replacementCost))}`
}
${fact('Recorded', moment(item.createdAt))}${fact('Last changed', moment(item.updatedAt))}${fact('Id', html`<code>${item.id}</code>`)}
</dl></section>`
}

const policyColumns = [{ label: 'Policy' }, { label: 'From' }, { label: 'Until' }, { label: 'Declared', number: true }]

function policies(path: string, { currency }: Studio, assignments: readonly Assignment[]): Html {
  const rows = assignments.map(({ id, name, declared, primary, from, until, active }) => ({
    cells: [
      html`<a class="typed" href="${path}/policies/${id}">${name ?? 'Unnamed policy'}</a>${primary && html` <span class="badge">Primary</span>`}${active === false && html` <span class="badge">Not active</span>`}`,
      from && day(from),
      until === null ? 'Open-ended' : day(until),
      declared === null ? 'Not recorded' : money(declared, currency),
    ],
  }))
  return stackedTable('item-policies', policyColumns, rows)
}
