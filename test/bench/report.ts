import type { Measurements, Verdict } from './bars.ts'
import { ratioOf } from './contest.ts'
import type { Row } from './rows.ts'

/** What was measured, as text for people. */
export function report(found: Measurements, verdicts: Verdict[], about: string[]): string {
  const { memory, twoWriters, sums, coldStart } = found
  return [
    ...about,
    '',
    ...tableOf('Requests, 16 connections', found.rows, 'service'),
    ...tableOf('The size of a studio, one connection, without the cache', found.flat, '200,000 items'),
    ...tableOf('Limits, activity and log', found.guards, 'on'),
    'Writes',
    ...found.updates.map(
      ({ title, full, bare }) =>
        `  update of ${title.padEnd(30)} ${milliseconds(full)} with triggers, ${milliseconds(bare)} without`,
    ),
    `  two writers of one studio at once: ${milliseconds(twoWriters.both)} a transaction, one alone ${milliseconds(twoWriters.alone)}`,
    `  ${found.import.rows} new items in one statement: ${found.import.seconds.toFixed(1)} s`,
    '',
    `Sums by category over 200,000 items: ${milliseconds(sums.superuser)} as superuser on the tables, ${milliseconds(sums.analyst)} as analyst in SQL, ${milliseconds(sums.graphql)} in GraphQL`,
    `npm start on an empty folder: ${coldStart.seconds.toFixed(1)} s to the first answer, ${coldStart.megabytes} MB when idle`,
    `Memory: ${memory.start} MB at the start, ${memory.halfway} MB after ${memory.requests / 2} requests, ${memory.end} MB after ${memory.requests}`,
    '',
    'Bars',
    ...verdicts.map(verdictLine),
    '',
    `${verdicts.filter(({ met }) => met).length} of ${verdicts.length} bars met`,
  ].join('\n')
}

/** A table of rows, each with its contestants beside the one that is named. */
export function tableOf(title: string, rows: Row[], base: string): string[] {
  const head = `${''.padEnd(24)}${'requests/s'.padStart(12)}${'p50 ms'.padStart(10)}${'p99 ms'.padStart(10)}   ${base} / it`
  const lines = rows.flatMap((row) => {
    const own = row.results.find((result) => result.name === base)
    return [
      `  ${row.title}`,
      ...row.results.map((result) => {
        const ratio = result.name === base ? undefined : ratioOf(own, result)
        const shown = ratio && `${factor(ratio.median)} × (${factor(ratio.least)} to ${factor(ratio.most)})`
        const numbers = [grouped(result.perSecond).padStart(12), ...[result.p50, result.p99].map(latency)]
        return `    ${result.name.padEnd(20)}${numbers.join('')}   ${shown ?? ''}`.trimEnd()
      }),
    ]
  })
  return [title, head, ...lines, '']
}

function verdictLine({ what, measured, spread, atLeast, atMost, unit, met }: Verdict): string {
  const bar = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`
  const shown = `${factor(measured)} ${unit}${spread ? ` (${factor(spread[0])} to ${factor(spread[1])})` : ''}`
  return `  ${met ? 'met    ' : 'NOT MET'}  ${what.padEnd(66)} ${shown.padEnd(26)} ${bar} ${unit}`
}

const factor = (value: number) => (Math.abs(value) < 10 ? value.toFixed(2) : value.toFixed(1))
const grouped = (value: number) => Math.round(value).toLocaleString('en-US')
const latency = (value: number) => value.toFixed(2).padStart(10)
const milliseconds = (value: number) => `${value.toFixed(3)} ms`
