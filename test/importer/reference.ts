import { type Kind, kinds } from '../../src/apps/importer/kinds/index.ts'
import { csvLine } from '../../src/apps/importer/report.ts'
import { templateOf } from '../../src/apps/importer/template.ts'
import { categories } from '../../src/domain/vocabulary.ts'

/** The last part of docs/importing.md: what each kind of file contains, column by column. */
export function columnsReference(): string {
  return `## Columns\n\n${kinds.map(section).join('\n\n')}\n`
}

function section(kind: Kind): string {
  const [one] = kind.nouns
  return [
    `### ${kind.name}`,
    '',
    `One row is one ${one}, told by \`${kind.key}\`. Example: [examples/${kind.name}.csv](examples/${kind.name}.csv).`,
    '',
    '```csv',
    templateOf(kind),
    csvLine(kind.columns.map((column) => column.example)).trimEnd(),
    '```',
    '',
    '| column | what it is | accepted | empty cell |',
    '|---|---|---|---|',
    ...kind.columns.map(
      (column) =>
        `| \`${column.name}\` | ${column.description} | ${column.cell.accepts.replaceAll('|', '\\|')} | ${empty(column)} |`,
    ),
    ...(kind.name === 'items' ? ['', `The categories: ${categories.map((name) => `\`${name}\``).join(' · ')}.`] : []),
  ].join('\n')
}

function empty({ required, whenEmpty }: Kind['columns'][number]): string {
  if (required) return 'refused'
  return { undefined: 'null', '': 'empty', '{}': 'none' }[String(whenEmpty)] ?? `\`${whenEmpty}\``
}
