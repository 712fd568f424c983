import { categories } from '../../src/domain/vocabulary.ts'
import type { Origin, Tool } from '../../src/importer/foreign/mapping.ts'
import { tools } from '../../src/importer/foreign/tools.ts'
import { kinds, templateOf } from '../../src/importer/kinds/index.ts'
import type { Kind } from '../../src/importer/kinds/kind.ts'
import { csvLine } from '../../src/importer/row-errors.ts'

/** The last part of docs/other-tools.md: which columns of each tool become which of ours. */
export function toolsReference(): string {
  return `## Tools that the importer knows\n\n${Object.entries(tools).map(toolSection).join('\n\n')}\n`
}

function toolSection([option, tool]: [string, Tool]): string {
  const cell = ({ from, joined }: Origin) =>
    from.map((name) => `\`${name}\``).join(joined === undefined ? ', else ' : `, then `)
  const { only, quantity } = tool
  return [
    `### ${tool.title}`,
    '',
    `\`--from ${option}\`, for ${tool.kind}.${tool.remark === undefined ? '' : ` ${tool.remark}`}`,
    ...(only
      ? [`Only rows whose \`${only.column}\` is ${only.values.map((value) => `\`${value}\``).join(' or ')}.`]
      : []),
    ...(quantity === undefined
      ? []
      : [`Each row becomes one item; its \`${quantity}\` is ignored: the import says how many are not 1.`]),
    '',
    '| ours | theirs |',
    '|---|---|',
    ...Object.entries(tool.columns).map(([ours, origin]) => `| \`${ours}\` | ${cell(origin)} |`),
  ].join('\n')
}

/** The last part of docs/importing.md: what each kind of file contains, column by column. */
export function columnsReference(): string {
  return `## Columns\n\n${kinds.map(section).join('\n\n')}\n`
}

function section(kind: Kind): string {
  const [one] = kind.nouns
  return [
    `### ${kind.name}`,
    '',
    `One row is one ${one}, identified by \`${kind.key}\`. Example: [examples/${kind.name}.csv](examples/${kind.name}.csv).`,
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
