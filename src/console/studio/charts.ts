import { type Content, type Html, html } from '../../web/html.ts'

/** A part of a bar, as a share of its width (0 to 1). */
type Part = { tone: string; share: number }

/** Draws a bar for the cell of a table. Other cells say the same in numbers. */
export function bar(parts: readonly Part[]): Html {
  let x = 0
  const rectangles = parts.map(({ tone, share }) => {
    const width = Math.max(0, Math.min(share, 1 - x)) * 100
    const rectangle =
      width > 0 && html`<rect class="${tone}" x="${(x * 100).toFixed(2)}" width="${width.toFixed(2)}" height="1"/>`
    x += width / 100
    return rectangle
  })
  return html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">${rectangles}</svg>`
}

type Series = { name: string; tone: string; values: readonly number[] }

type LineChart = {
  title: string
  /** Each series has a value for each label. */
  labels: readonly string[]
  series: readonly Series[]
  /** Writes an amount beside the axis. */
  axis(amount: number): string
  /** Marks a moment: its position among `labels`, which may lie between two. */
  mark?: { at: number; label: string } | undefined
  /** Says the same in numbers, for people who cannot see the picture. */
  table: Content
}

/** Draws lines above zero, and a table with the same numbers below them. */
export function lineChart({ title, labels, series, axis, mark, table }: LineChart): Html {
  const top = niceTop(Math.max(...series.flatMap(({ values }) => values), 0))
  const last = Math.max(labels.length - 1, 1)
  const x = (index: number) => ((index / last) * 100).toFixed(2)
  const y = (value: number) => (100 - (value / top) * 100).toFixed(2)
  return html`<figure class="lines">
<figcaption>${title}</figcaption>
<ul class="legend">${series.map(({ name, tone }) => html`<li class="${tone}">${name}</li>\n`)}${mark && html`<li class="mark">${mark.label}</li>`}</ul>
<div class="plot" aria-hidden="true">
<div class="axis"><span>${axis(top)}</span><span>${axis(top / 2)}</span><span>${axis(0)}</span></div>
<svg viewBox="0 0 100 100" preserveAspectRatio="none">
<path class="grid" d="M0 0H100M0 50H100M0 100H100"/>
${mark && html`<path class="mark" d="M${x(mark.at)} 0V100"/>`}
${series.map(({ tone, values }) => html`<polyline class="${tone}" points="${values.map((value, index) => `${x(index)},${y(value)}`).join(' ')}"/>\n`)}
</svg>
<div class="ends"><span>${labels[0]}</span><span>${labels.at(-1)}</span></div>
</div>
<details><summary>${title}, as a table</summary>
${table}
</details>
</figure>`
}

/** Rounds up to 1, 2, 2.5 or 5 times a power of ten. */
function niceTop(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= value) ?? 10) * power
}
