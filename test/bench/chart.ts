import type { Measurements } from './bars.ts'
import type { Result } from './contest.ts'
import type { Row } from './rows.ts'

/** Who is drawn, in this order, and under which name. The others of a run show where the limit is, and are no rivals. */
const drawn = [
  ['service', 'service'],
  ['usual', 'Express and pg'],
  ['Platformatic DB', 'Platformatic DB'],
  ['PostGraphile', 'PostGraphile'],
] as const

const width = 820
const barsFrom = 150
const longest = 560
const line = 22
const gap = 44

/** Ground, text and bars in light and dark; the picture has a ground of its own, so it can be read on any page. */
const style = `
  svg { color-scheme: light dark; font: 13px -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif }
  .ground { fill: #fbfaf7; stroke: #e0dbd1 } .title { fill: #1f2225; font-weight: 600 } .head { font-size: 16px }
  .name, .note { fill: #575c62 } .note { font-size: 12px } .number { fill: #1f2225 }
  .service { fill: #9a3412 } .rival { fill: #b9b2a5 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #16181b; stroke: #33383e } .title, .number { fill: #e7e5e1 } .name, .note { fill: #a8adb3 }
    .service { fill: #f4a672 } .rival { fill: #5d646c }
  }`

/**
 * The requests a second of a run as bars, a group for each row, all on one scale. An SVG document.
 *
 * @param about lines about the run: the machine first, then what a reader has to know
 */
export function chart({ rows }: Pick<Measurements, 'rows'>, about: string[]): string {
  const most = Math.max(...rows.flatMap(rivalsOf).map(({ perSecond }) => perSecond))
  const parts: string[] = []
  let y = 64
  for (const row of rows) {
    parts.push(text('title', 24, y, row.title))
    for (const result of rivalsOf(row)) {
      y += line
      parts.push(...bar(result, y, (result.perSecond / most) * longest))
    }
    y += gap - line / 2
  }
  const notes = [...about, 'Medians of the rounds, 16 connections. What is compared: docs/performance.md.']
  parts.push(...notes.map((note, at) => text('note', 24, y + at * 18, note)))
  const height = y + notes.length * 18 + 4
  const label = 'Requests a second, the service beside others'
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}">`,
    `<style>${style}\n</style>`,
    `<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    text('title head', 24, 34, `${label} (more is better)`),
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

function rivalsOf({ results }: Row): Result[] {
  return drawn.flatMap(([name, shown]) =>
    results.filter((result) => result.name === name).map((result) => ({ ...result, name: shown })),
  )
}

function bar({ name, perSecond }: Result, y: number, length: number): string[] {
  const from = Math.max(1, Math.round(length))
  return [
    `<text class="name" x="${barsFrom - 10}" y="${y}" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="${name === 'service' ? 'service' : 'rival'}" x="${barsFrom}" y="${y - 12}" width="${from}" height="15" rx="2"/>`,
    text('number', barsFrom + from + 8, y, Math.round(perSecond).toLocaleString('en-US')),
  ]
}

const text = (style: string, x: number, y: number, content: string) =>
  `<text class="${style}" x="${x}" y="${y}">${escaped(content)}</text>`

const escaped = (content: string) => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
