import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { categories } from '../../src/domain/vocabulary.ts'
import type { Origin, Tool } from '../../src/importer/foreign/mapping.ts'
import { tools } from '../../src/importer/foreign/tools.ts'
import { exampleOf, kinds, templateOf } from '../../src/importer/kinds/index.ts'
import type { Kind } from '../../src/importer/kinds/kind.ts'
import { csvLine } from '../../src/importer/row-errors.ts'
import { expectDone, useImporter } from './support.ts'

const importer = useImporter()
const docs = join(import.meta.dirname, '../../docs')

/** The last part of docs/other-tools.md: which columns of each tool become which of ours. */
function toolsReference(): string {
  return `## Tools that the importer knows\n\n${Object.entries(tools).map(toolSection).join('\n\n')}\n`
}

function toolSection([option, tool]: [string, Tool]): string {
  const cell = ({ from, joined, commas, ifFilled }: Origin) =>
    [
      from.map((name) => `\`${name}\``).join(joined === undefined ? ', else ' : `, then `),
      ...(commas === 'all' ? ['separated by commas'] : commas === 'first' ? ['the first of several'] : []),
      ...(ifFilled === undefined ? [] : [`if \`${ifFilled}\` is filled`]),
    ].join('; ')
  const { only, unless = {} } = tool
  return [
    `### ${tool.title}`,
    '',
    `\`--from ${option}\`, for ${tool.kind}.${tool.remark === undefined ? '' : ` ${tool.remark}`}`,
    ...(only
      ? [`Only rows whose \`${only.column}\` is ${only.values.map((value) => `\`${value}\``).join(' or ')}.`]
      : []),
    ...Object.entries(unless).map(([one, other]) => `\`${one}\` is not read from a file that has \`${other}\`.`),
    '',
    '| ours | theirs |',
    '|---|---|',
    ...Object.entries(tool.columns).map(([ours, origin]) => `| \`${ours}\` | ${cell(origin)} |`),
  ].join('\n')
}

/** The last part of docs/importing.md: what each kind of file contains, column by column. */
function columnsReference(): string {
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

// After an intended change: npm run generate
test.each([
  ['importing.md describes every column of every kind as the code has it', 'Columns', columnsReference],
  ['other-tools.md says which columns of each tool become ours', 'Tools that the importer knows', toolsReference],
])('docs/%s', async (title, part, reference) => {
  const path = join(docs, title.split(' ', 1).join())
  const [written] = (await readFile(path, 'utf8')).split(new RegExp(`^## ${part}$`, 'm'))
  await expect(`${written}${reference()}`).toMatchFileSnapshot(path)
})

test('the examples can be imported one after the other, and again without a change', async () => {
  const studio = await importer.studio()
  const examples = () =>
    kinds.map(
      ({ name }) =>
        () =>
          importer.path(studio, name, join(docs, 'examples', `${name}.csv`)),
    )
  for (const load of examples()) {
    const outcome = await load()
    expectDone(outcome, { unchanged: 0, notes: [] })
    expect(outcome.rows).toBeGreaterThan(1)
  }
  for (const load of examples()) {
    const outcome = await load()
    expectDone(outcome, { added: 0, changed: 0, unchanged: outcome.rows })
  }
})

test('the example rows of the reference can be imported', async () => {
  const studio = await importer.studio()
  await importer.into(studio, 'locations', 'external_key,name\nHOUSE,House\n')
  for (const kind of kinds) expectDone(await importer.into(studio, kind.name, exampleOf(kind)), { added: 1 })
})
