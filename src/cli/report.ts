import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { type Command, Option } from 'commander'
import type { Outcome } from '../report/make.ts'
import { fileName, groupDigits } from '../report/words.ts'
import { command, jsonOption } from './command.ts'
import { CommandError } from './failure.ts'
import { printDone, printJson, remark, warn } from './output.ts'
import type { Context } from './session.ts'

type Options = {
  studio: string
  on?: string
  policy?: string
  preparedFor?: string
  as: 'csv' | 'xlsx' | 'pdf'
  output?: string
  json: boolean
}

export function reportCommand(context: Context): Command {
  return command('report')
    .description(
      "Write a studio's schedule of equipment, with values, what is declared, photos and totals, for an insurer or accountant.",
    )
    .requiredOption('--studio <name-or-id>', 'the studio')
    .addOption(new Option('--as <format>', 'format').choices(['csv', 'xlsx', 'pdf']).makeOptionMandatory())
    .option(
      '--on <day>',
      "the day of the values, as YYYY-MM-DD, past or future (default: today on the studio's calendar)",
    )
    .option(
      '--policy <name-or-id>',
      'one policy alone, by its name, number or id, with its items, dates, limit and deductible',
    )
    .option('--prepared-for <whom>', 'whom the report is for, on its first page (up to 120 characters)')
    .option('--output <file>', 'the file to write (default: a name with the studio and the day, in this folder)')
    .addOption(jsonOption())
    .notes(`
The command writes the file as a whole or not at all, and replaces one of the same name. docs/report.md describes it.

Examples:
  studio-inventory report --studio "Northlight Studios" --as pdf
  studio-inventory report --studio "Northlight Studios" --as xlsx --on 2026-03-31 --output year-end.xlsx
  studio-inventory report --studio "Northlight Studios" --as pdf --policy "Studio cover" --prepared-for "Lloyd & Daughters"`)
    .action((options: Options) => run(context, options))
}

async function run(context: Context, options: Options): Promise<void> {
  const { studio, on, policy, as: format, output, json } = options
  const preparedFor = options.preparedFor?.trim()
  const [{ requireDay, requirePreparedFor }, { makeReport }, { showProgress }, { withDatabase }] = await Promise.all([
    import('../report/options.ts'),
    import('../report/make.ts'),
    import('../importer/progress.ts'),
    import('./session.ts'),
  ])
  if (on !== undefined) requireDay(on)
  if (preparedFor !== undefined) requirePreparedFor(preparedFor)
  await withDatabase(context, async ({ config, database, inStudio }) => {
    const found = await inStudio(studio, async ({ query, id }) => {
      const [row] = await query<{ name: string; today: string }>(
        'select name, access.studio_today(id)::text as today from app.studios where id = $1',
        [id],
      )
      if (row === undefined) throw new Error('there is no such studio')
      return { id, ...row }
    })
    const path = output ?? fileName(found.name, on ?? found.today, format, policy)
    const progress = showProgress(remark)
    let total = 0
    const outcome = await writeWholeFile(path, (sink) =>
      makeReport(
        {
          format,
          studioId: found.id,
          day: on ?? null,
          policy,
          preparedFor,
          databaseUrl: database.urlFor('studio_api'),
          photos: config,
          secretKeys: database.secretKeys,
        },
        sink,
        {
          begin(_heading, items) {
            total = items
            progress.stage('Writing', total)
          },
          at: (items) => progress.at(items, items),
        },
      ),
    )
    tell(path, outcome, json)
  })
}

const counted = (count: number, one: string, many: string) =>
  `${groupDigits(String(count))} ${count === 1 ? one : many}`

/** Reports what was written on standard output, and what was omitted on standard error. */
function tell(path: string, { heading, totals, photos, unprintable, shortened }: Outcome, json: boolean): void {
  const { all } = totals
  if (json) {
    const { studio, day, currency } = heading
    const { grouped_by, key, ...sums } = all
    printJson({ file: path, studio, day, currency, ...sums, photos, unprintable, shortened })
    return
  }
  const { estimated_value, reported_insured_value, under_declared, not_declared, over_declared } = all
  printDone(
    `${path}: ${counted(all.items, 'item', 'items')} of ${heading.studio} on ${heading.day}, value ${heading.currency} ${groupDigits(estimated_value)}, reported as insured ${groupDigits(reported_insured_value)}; under-declared ${groupDigits(under_declared)}, not declared ${groupDigits(not_declared)}, over-declared ${groupDigits(over_declared)}`,
  )
  if (all.without_value_items > 0)
    warn(
      `${counted(all.without_value_items, 'item has', 'items have')} no value; reported as insured: ${groupDigits(all.without_value_declared)}`,
    )
  if (photos.missing > 0) warn(`${counted(photos.missing, 'photo is', 'photos are')} missing`)
  if (photos.unreadable > 0) warn(`${counted(photos.unreadable, 'photo', 'photos')} cannot be read as an image`)
  if (photos.too_large > 0) warn(`${counted(photos.too_large, 'photo is', 'photos are')} too large to be opened`)
  if (photos.omitted > 0)
    warn(`${counted(photos.omitted, 'photo does', 'photos do')} not fit in a spreadsheet; the PDF has all`)
  if (shortened > 0)
    warn(`${counted(shortened, 'entry is', 'entries are')} shortened in the PDF; the XLSX has the whole text`)
  if (unprintable > 0) {
    warn(`${counted(unprintable, 'entry has', 'entries have')} characters that the PDF's font lacks; the XLSX has them`)
  }
}

/** Writes the whole file or nothing: it writes a draft in the same folder and then renames it. The
 * old file stays until then.
 * @throws CommandError when it cannot be written; what `work` throws */
export async function writeWholeFile<Result>(path: string, work: (sink: Writable) => Promise<Result>): Promise<Result> {
  const target = resolve(path)
  const refused = (error: NodeJS.ErrnoException) => {
    throw new CommandError(`cannot write ${path}: ${reasons[error.code ?? ''] ?? error.message}`)
  }
  if ((await stat(target).catch(() => undefined))?.isDirectory()) throw new CommandError(`${path} is a folder`)
  const unfinished = join(dirname(target), `.${basename(target)}.${randomBytes(4).toString('hex')}.part`)
  const file = createWriteStream(unfinished, { flags: 'wx', flush: true })
  await once(file, 'open').catch(refused)
  const remove = () => rm(unfinished, { force: true })
  const interrupted = () => void remove().finally(() => process.exit(130))
  process.once('SIGINT', interrupted)
  try {
    const closed = once(file, 'close')
    closed.catch(() => undefined)
    const result = await work(file)
    await closed
    await rename(unfinished, target).catch(refused)
    return result
  } catch (error) {
    file.destroy()
    await remove()
    throw error
  } finally {
    process.removeListener('SIGINT', interrupted)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
}
