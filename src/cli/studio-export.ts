import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { counted, quoted } from '../domain/text.ts'
import { command, jsonOption, onDatabase } from './command.ts'
import { CommandError } from './failure.ts'
import { printDone, printJson, remark, warn } from './output.ts'
import type { Context } from './session.ts'

export function studioExportCommand(context: Context): Command {
  return command('export')
    .description('Write everything of a studio into a folder, as the CSV files and photos that import reads.')
    .argument('<studio>', 'its name or id')
    .argument('<folder>', 'a new or empty folder')
    .addOption(jsonOption())
    .notes(`
All files show one moment. Imported into another studio in the order that is printed they give the same inventory; ids,
times of creation and change, and what is closed or removed do not come along: docs/importing.md.

Examples:
  studio-inventory studio export "Northlight Studios" northlight/`)
    .action(
      onDatabase(context, async (session, studio: string, folder: string, options: { json: boolean }) => {
        const { withStudioReader } = await import('../report/snapshot.ts')
        const { FolderInUse, exportStudio } = await import('../exporter/run.ts')
        const { config, database, inStudio } = session
        const id = await inStudio(studio, async (open) => open.id)
        await mkdir(dirname(resolve(folder)), { recursive: true })
        const photosDir = config.photosS3 === undefined ? config.photosDir : undefined
        const exported = await withStudioReader(database.adminUrl, id, async (transaction) => {
          await transaction.query('set local role studio_owner')
          return exportStudio(transaction, id, folder, photosDir)
        }).catch((error: unknown) => {
          if (!(error instanceof FolderInUse)) throw error
          throw new CommandError(error.message, 'Name a new or empty folder.')
        })
        if (options.json) {
          const rows = Object.entries(exported.rows).map(([kind, count]) => [kind.replace('-', '_'), count])
          return printJson({ studio_id: id, folder: resolve(folder), ...exported, rows: Object.fromEntries(rows) })
        }
        printDone(`Exported to ${folder}: ${describe({ ...exported.rows, photos: exported.photos })}`)
        if (exported.photos_elsewhere > 0) {
          const why = photosDir === undefined ? 'they are in the bucket' : 'PHOTOS_DIR has no such pictures'
          warn(`${counted(exported.photos_elsewhere, 'photo', 'photos')} not exported: ${why}.`)
        }
        remark('To import it, in this order:')
        const files = Object.keys(exported.rows).map((kind) => [kind, `${kind}.csv`] as const)
        for (const [kind, file] of exported.photos > 0 ? [...files, ['photos', 'photos'] as const] : files) {
          remark(`  studio-inventory import ${kind} ${quoted(join(folder, file))} --studio <name-or-id>`)
        }
      }),
    )
}

function describe(rows: Readonly<Record<string, number>>): string {
  return Object.entries(rows)
    .map(([kind, count]) => `${kind.replace('-', ' ')} ${count}`)
    .join(', ')
}
