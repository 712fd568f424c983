import { setFlagsFromString } from 'node:v8'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { doubtNames } from '../importer/doubts.ts'
import { isDateFormat } from '../importer/foreign/formats.ts'
import { tools } from '../importer/foreign/tools.ts'
import { command, jsonOption } from './command.ts'
import { CommandError, interruptible } from './failure.ts'
import type { ForeignOptions } from './import-options.ts'
import { print, printJson, remark } from './output.ts'
import type { Context } from './session.ts'

const csvKinds = [
  'locations',
  'items',
  'policies',
  'assignments',
  'maintenance',
  'market-values',
  'depreciation-changes',
] as const

const delimiters: Readonly<Record<string, string>> = { comma: ',', semicolon: ';', tab: '\t' }

/** No file has more rows, so this number means all of them. */
const allRows = 2 ** 31 - 1

const repeated = (value: string, before: string[] = []): string[] => [...before, value]

function dateFormat(value: string): string {
  if (isDateFormat(value)) return value
  throw new InvalidArgumentError(
    'Write dd, mm and yyyy (or yy) in their order, with one of . / - between them: dd/mm/yyyy; mmmm for a month by its name: mmmm d, yyyy.',
  )
}

type Options = ForeignOptions & {
  studio?: string
  dryRun: boolean
  allRows: boolean
  report?: string
  archiveMissing: boolean
  yes: boolean
  delimiter?: string
  sheet?: string
  template?: string
  json: boolean
}

export function importCommand(context: Context): Command {
  return command('import')
    .description(
      "Import a studio's CSV file or workbook, or a folder of photos. Imports a file as a whole or not at all.",
    )
    .addArgument(new Argument('[kind]', 'what the file contains').choices([...csvKinds, 'photos']))
    .argument('[file]', 'a CSV file or an XLSX workbook; for photos a folder')
    .option('--studio <name-or-id>', 'the studio to import into')
    .option('--dry-run', 'validate everything, write nothing, and show ten of the rows that would change', false)
    .option('--all-rows', 'with --dry-run: show all rows that would change', false)
    .option('--report <file>', 'write every error to this file, as CSV')
    .option('--archive-missing', 'archive imported items or policies that are missing from the file', false)
    .option('--yes', 'archive without asking', false)
    .addOption(
      new Option('--delimiter <name>', 'delimiter of the file, if the importer cannot detect it').choices(
        Object.keys(delimiters),
      ),
    )
    .option('--sheet <name>', 'the sheet of a workbook (default: the first)')
    .addOption(
      new Option('--from <tool>', 'the columns are those of an export of this tool').choices(Object.keys(tools)),
    )
    .option('--map <theirs=ours>', 'read a column of the file as a column of the import; may be repeated', repeated)
    .option('--key <column>', 'the column that identifies each row, if there is no external_key; none: number the rows')
    .option('--dates <format>', 'how the file writes dates, such as dd/mm/yyyy or mmmm d, yyyy', dateFormat)
    .addOption(new Option('--decimal <mark>', 'how the file writes decimals').choices(['comma', 'point']))
    .addOption(
      new Option('--accept <doubt...>', 'what the import doubts and should accept; the errors name it').choices(
        doubtNames,
      ),
    )
    .option(
      '--categories <file>',
      'a CSV file that matches unknown categories to known ones; created if it does not exist',
    )
    .option('--make-locations', 'create the locations that items name and the studio lacks', false)
    .addOption(jsonOption())
    .addOption(new Option('--template <kind>', 'print the header line of a kind of file').choices(csvKinds))
    .notes(`
The first line names the columns; external_key identifies a row, so that importing the same file again changes nothing and
a changed line changes only its row. A file without it needs --key. If any line has an error, all are reported and nothing is written. docs/importing.md
describes each column.

Examples:
  studio-inventory import --template items > items.csv
  studio-inventory import items items.csv --studio "Northlight Studios" --dry-run
  studio-inventory import items items.csv --studio "Northlight Studios" --report errors.csv
  studio-inventory import items items.csv --studio "Northlight Studios" --archive-missing --yes
  studio-inventory import items assets.csv --studio "Northlight Studios" --from snipe-it --dates mm/dd/yyyy --dry-run
  studio-inventory import items gear.xlsx --studio "Northlight Studios" --map 'Asset Name=name' --map 'Tag=external_key'
  studio-inventory import items gear.xlsx --studio "Northlight Studios" --key serial_number --dry-run
  studio-inventory import items gear.xlsx --studio "Northlight Studios" --key none --accept total_rows quantities
  studio-inventory import photos ./photos --studio "Northlight Studios"`)
    .action(async (kind: string | undefined, file: string | undefined, options: Options, self: Command) => {
      if (options.template !== undefined) return printTemplate(options.template, options.json)
      if (kind === undefined) self.error(`error: missing argument 'kind': ${[...csvKinds, 'photos'].join(', ')}`)
      if (file === undefined) self.error("error: missing argument 'file'")
      if (options.studio === undefined) self.error("error: required option '--studio <name-or-id>' not specified")
      await importInto(context, kind, file, options.studio, options)
    })
}

async function printTemplate(name: string, json: boolean): Promise<void> {
  const { columnsOf, kinds, templateOf } = await import('../importer/kinds/index.ts')
  const kind = kinds.find((other) => other.name === name)
  if (kind && json) printJson(columnsOf(kind))
  else if (kind) print(templateOf(kind))
}

async function importInto(context: Context, name: string, path: string, studio: string, options: Options) {
  // V8 gives young objects ever more memory: 60 MB for a workbook of 100,000 rows.
  setFlagsFromString('--semi-space-growth-factor=1')
  const [{ withDatabase }, { runImport }, { kinds }, { showProgress }, answer, given] = await Promise.all([
    import('./session.ts'),
    import('../importer/run-import.ts'),
    import('../importer/kinds/index.ts'),
    import('../importer/progress.ts'),
    import('./import-output.ts'),
    import('./import-options.ts'),
  ])
  if (options.allRows && !options.dryRun) throw new CommandError('--all-rows is for --dry-run')
  const kind = kinds.find((other) => other.name === name)
  const { delimiter, report: reportFile } = options
  const archiveMissing = options.archiveMissing
    ? given.archivingAgreed(given.archivableNouns(name, kind, options.key), options.yes)
    : undefined
  const foreign = await given.foreignReading(kind, options)
  await given.requireReadable(path, name)
  given.requireOther(path, reportFile)
  await withDatabase(context, async ({ config, database, inStudio }) => {
    const { id, currency } = await inStudio(studio, async ({ id, query }) => {
      const [row] = await query<{ currency: string }>('select currency from app.studios where id = $1', [id])
      return { id, currency: row?.currency ?? '' }
    })
    const job = {
      kind: kind ?? ('photos' as const),
      path,
      studioId: id,
      writerUrl: database.urlFor('studio_writer'),
      photosDir: config.photosDir,
      dryRun: options.dryRun,
      ...(options.allRows && { shown: { after: 0, rows: allRows } }),
      ...(delimiter !== undefined && { delimiter: delimiters[delimiter] ?? delimiter }),
      ...(archiveMissing && { archiveMissing }),
      ...(reportFile !== undefined && { reportFile }),
      ...(options.sheet !== undefined && { sheet: options.sheet }),
      ...foreign.job,
      progress: showProgress(remark),
    }
    const outcome = await interruptible(answer.nothingImported, (signal) => runImport({ ...job, signal }))
    const begun = await foreign.beginCategories(outcome)
    answer.printOutcome(outcome, {
      dryRun: options.dryRun,
      reportFile,
      json: options.json,
      currency,
      begun,
      makeLocations: options.makeLocations,
    })
  })
}
