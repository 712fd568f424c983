import { type Command, Option } from 'commander'
import { command, jsonOption } from './command.ts'
import { remark } from './output.ts'
import type { Context } from './session.ts'

type Options = { studio: string; on?: string; as: 'csv' | 'xlsx' | 'pdf'; output?: string; json: boolean }

/** `report`: a studio's schedule of equipment, for its insurer or accountant. */
export function reportCommand(context: Context): Command {
  return command('report')
    .description(
      "Write a studio's schedule of equipment, with values, coverage, photos and totals, for an insurer or accountant.",
    )
    .requiredOption('--studio <name-or-id>', 'the studio')
    .addOption(new Option('--as <format>', 'format').choices(['csv', 'xlsx', 'pdf']).makeOptionMandatory())
    .option(
      '--on <day>',
      "the day of the values, as YYYY-MM-DD, past or to come (default: today on the studio's calendar)",
    )
    .option('--output <file>', 'the file to write (default: a name with the studio and the day, in this folder)')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The file is written as a whole or not at all; one of the same name is replaced. docs/report.md describes it.

Examples:
  studio-inventory report --studio "Northlight Studios" --as pdf
  studio-inventory report --studio "Northlight Studios" --as xlsx --on 2026-03-31 --output year-end.xlsx`,
    )
    .action((options: Options) => run(context, options))
}

async function run(context: Context, { studio, on, as: format, output, json }: Options): Promise<void> {
  const [{ requireDay }, { makeReport }, { fileName }, report, { showProgress }] = await Promise.all([
    import('../apps/report/options.ts'),
    import('../apps/report/make.ts'),
    import('../apps/report/words.ts'),
    import('./report/telling.ts'),
    import('../apps/importer/progress.ts'),
  ])
  const [{ withDatabase }, { asOwner }, { findStudio }, { writeWholeFile }] = await Promise.all([
    import('./session.ts'),
    import('../database/session.ts'),
    import('./lookup.ts'),
    import('./report/whole-file.ts'),
  ])
  if (on !== undefined) requireDay(on)
  await withDatabase(context, async ({ config, database }) => {
    const found = await asOwner(database.adminUrl, async (transaction) => {
      const id = await findStudio(transaction, studio)
      const [row] = await transaction.query<{ name: string; today: string }>(
        'select name, access.studio_today(id)::text as today from app.studios where id = $1',
        [id],
      )
      if (row === undefined) throw new Error('there is no such studio')
      return { id, ...row }
    })
    const path = output ?? fileName(found.name, on ?? found.today, format)
    const progress = showProgress(process.stderr, remark)
    let total = 0
    const outcome = await writeWholeFile(path, (sink) =>
      makeReport(
        {
          format,
          studioId: found.id,
          day: on ?? null,
          databaseUrl: database.urlFor('studio_api'),
          photos: config,
          secretKey: database.secretKey,
        },
        sink,
        {
          begin(_heading, items) {
            total = items
            progress.stage('Writing', total)
          },
          at: (items) => progress.at(items, items),
        },
      ).finally(() => progress.end()),
    )
    report.tell(path, outcome, json)
  })
}
