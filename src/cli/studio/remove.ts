import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { command, jsonOption } from '../command.ts'
import { requireConsent, terminal } from '../dialogue.ts'
import { CommandError } from '../failure.ts'
import { counted, printDone, printJson, remark, warn } from '../output.ts'
import type { Context } from '../session.ts'
import type { About } from './removal.ts'

/**
 * Writes the storage keys of the photos, one a line. The file of a removal that was interrupted has them all, and stays.
 *
 * @throws CommandError when another file is there
 */
async function writeKeys(path: string, { photoKeys, begun }: Pick<About, 'photoKeys' | 'begun'>): Promise<void> {
  try {
    await writeFile(path, photoKeys.map((key) => `${key}\n`).join(''), { flag: 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') throw new CommandError(`cannot write ${path}: ${message}`, 'Nothing was removed.')
    if (!begun)
      throw new CommandError(`${path} is there already`, 'Name a new file with --photo-keys. Nothing was removed.')
    remark(`${path} has the keys already: it was written when the removal began.`)
  }
}

type Options = { by?: string; yes: boolean; photoKeys?: string; json: boolean }

/** `studio remove`: removes a studio with all its data, for good. */
export function studioRemoveCommand(context: Context): Command {
  return command('remove')
    .description('Remove a studio with all its data, tokens and members, for good. Its audit log stays.')
    .argument('<studio>', 'its name or id')
    .option(
      '--photo-keys <file>',
      'write the storage keys of its photos to this file, one a line, to delete the photos by',
    )
    .option('--by <email>', "the owner in whose name it is done (default: the studio's owner)")
    .option('-y, --yes', 'do not ask', false)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
It asks for the name of the studio. Nobody reads the studio from the first moment on; its rows are then removed in small
transactions. When it is interrupted, the same command goes on. The audit log keeps who did what by id; people who are a
member of no other studio lose their name and e-mail. Photos are files of yours: delete them by --photo-keys. Backups
keep what they have: docs/operating.md.

Examples:
  studio-inventory studio export "Northlight Studios" northlight/
  studio-inventory studio remove "Northlight Studios" --photo-keys northlight-photos.txt`,
    )
    .action(async (studio: string, options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio } = await import('../lookup.ts')
      const { aboutRemoval, removeStudio } = await import('./removal.ts')
      const { doerOf } = await import('../member/members.ts')
      await withDatabase(context, async ({ database }) => {
        const { about, by } = await asOwner(database.adminUrl, async (transaction) => {
          const id = await findStudio(transaction, studio)
          const about = await aboutRemoval(transaction, id)
          return { about, by: about.begun ? null : await doerOf(transaction, id, options.by) }
        })
        const { id, name, items, members, tokens, photoKeys } = about
        const what = `${name} will be removed for good: ${counted(items, 'item')}, ${counted(members, 'member')}, ${counted(tokens, 'token')} and everything else of it.`
        await requireConsent({ what, yes: options.yes, asking: terminal(), typed: name })
        if (options.photoKeys !== undefined) await writeKeys(options.photoKeys, about)
        else if (photoKeys.length > 0) warn(`${counted(photoKeys.length, 'photo')} will stay in your storage.`)
        const rows = await removeStudio(database.adminUrl, id, by, (done) => remark(`${done} rows removed …`))
        if (options.json) return printJson({ studio_id: id, name, removed_rows: rows, photos: photoKeys.length })
        printDone(`Removed: ${name}`)
      })
    })
}
