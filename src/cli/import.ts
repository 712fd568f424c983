import { Argument, type Command, Option } from 'commander'
import { command, jsonOption } from './command.ts'
import { print, printJson, remark } from './output.ts'
import type { Context } from './session.ts'

const csvKinds = ['locations', 'items', 'policies', 'assignments', 'maintenance', 'market-values'] as const

const delimiters: Readonly<Record<string, string>> = { comma: ',', semicolon: ';', tab: '\t' }

type Options = {
  studio?: string
  dryRun: boolean
  report?: string
  archiveMissing: boolean
  yes: boolean
  delimiter?: string
  template?: string
  json: boolean
}

/** `import`: brings a studio's own CSV files and photos into the database. */
export function importCommand(context: Context): Command {
  return command('import')
    .description("Import a studio's CSV file, or a folder of photos. A file is written as a whole or not at all.")
    .addArgument(new Argument('[kind]', 'what the file contains').choices([...csvKinds, 'photos']))
    .argument('[file]', 'a CSV file; for photos a folder')
    .option('--studio <name-or-id>', 'the studio it belongs to')
    .option('--dry-run', 'validate everything, write nothing', false)
    .option('--report <file>', 'write every error to this file, as CSV')
    .option('--archive-missing', 'archive imported items or policies that are missing from the file', false)
    .option('--yes', 'archive without asking', false)
    .addOption(
      new Option('--delimiter <name>', 'delimiter of the file, if it cannot be detected').choices(
        Object.keys(delimiters),
      ),
    )
    .addOption(jsonOption())
    .addOption(new Option('--template <kind>', 'print the header line of a kind of file').choices(csvKinds))
    .addHelpText(
      'after',
      `
The first line names the columns; external_key identifies a row, so that importing the same file again changes nothing and
a changed line changes only its row. If any line has an error, all are reported and nothing is written. docs/importing.md
describes each column.

Examples:
  studio-inventory import --template items > items.csv
  studio-inventory import items items.csv --studio "Northlight Studios" --dry-run
  studio-inventory import items items.csv --studio "Northlight Studios" --report errors.csv
  studio-inventory import items items.csv --studio "Northlight Studios" --archive-missing --yes
  studio-inventory import photos ./photos --studio "Northlight Studios"`,
    )
    .action(async (kind: string | undefined, file: string | undefined, options: Options, self: Command) => {
      if (options.template !== undefined) return printTemplate(options.template, options.json)
      if (kind === undefined) self.error(`error: missing argument 'kind': ${[...csvKinds, 'photos'].join(', ')}`)
      if (file === undefined) self.error("error: missing argument 'file'")
      if (options.studio === undefined) self.error("error: required option '--studio <name-or-id>' not specified")
      await importInto(context, kind, file, options.studio, options)
    })
}

async function printTemplate(name: string, json: boolean): Promise<void> {
  const { kinds } = await import('../apps/importer/kinds/index.ts')
  const { columnsOf, templateOf } = await import('../apps/importer/template.ts')
  for (const kind of kinds) {
    if (kind.name !== name) continue
    if (json) printJson(columnsOf(kind))
    else print(templateOf(kind))
  }
}

async function importInto(context: Context, name: string, path: string, studio: string, options: Options) {
  const [
    { withDatabase },
    { asOwner },
    { findStudio },
    { runImport },
    { kinds },
    { showProgress },
    { interruptible },
    importing,
  ] = await Promise.all([
    import('./session.ts'),
    import('../database/session.ts'),
    import('./lookup.ts'),
    import('../apps/importer/run.ts'),
    import('../apps/importer/kinds/index.ts'),
    import('../apps/importer/progress.ts'),
    import('./interrupt.ts'),
    import('./importing.ts'),
  ])
  const kind = kinds.find((other) => other.name === name)
  const { delimiter, report: reportFile } = options
  const archiveMissing = options.archiveMissing
    ? importing.archivingAgreed(importing.archivableNouns(name, kind), options.yes, importing.terminal())
    : undefined
  await importing.requireReadable(path, name)
  importing.requireOther(path, reportFile)
  await withDatabase(context, async ({ config, database }) => {
    const job = {
      kind: kind ?? ('photos' as const),
      path,
      studioId: await asOwner(database.adminUrl, (transaction) => findStudio(transaction, studio)),
      writerUrl: database.urlFor('studio_writer'),
      photosDir: config.photosDir,
      dryRun: options.dryRun,
      ...(delimiter !== undefined && { delimiter: delimiters[delimiter] ?? delimiter }),
      ...(archiveMissing && { archiveMissing }),
      ...(reportFile !== undefined && { reportFile }),
      progress: showProgress(process.stderr, remark),
    }
    const outcome = await interruptible(importing.nothingImported, (signal) => runImport({ ...job, signal }))
    importing.tell(outcome, { dryRun: options.dryRun, reportFile, json: options.json })
  })
}
