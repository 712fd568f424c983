import type { Command } from 'commander'
import { command, jsonOption } from '../command.ts'
import { requireConsent, terminal } from '../dialogue.ts'
import { counted, printDone, printJson, remark, warn } from '../output.ts'
import type { Context } from '../session.ts'

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
transactions. When it is interrupted, the same command goes on, and adds to the file of --photo-keys what it lacks. The audit
log keeps who did what by id; people who are a member of no other studio, and in no other one's audit log, lose their name
and e-mail. Photos are files of yours: delete them by --photo-keys. Backups keep what they have: docs/operating.md.

Examples:
  studio-inventory studio export "Northlight Studios" northlight/
  studio-inventory studio remove "Northlight Studios" --photo-keys northlight-photos.txt`,
    )
    .action(async (studio: string, options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio } = await import('../lookup.ts')
      const { aboutRemoval, beginRemoval, photoKeysOf, removeRows } = await import('./removal.ts')
      const { openKeysFile } = await import('./photo-keys.ts')
      const { doerOf } = await import('../member/members.ts')
      await withDatabase(context, async ({ database }) => {
        const { about, by } = await asOwner(database.adminUrl, async (transaction) => {
          const id = await findStudio(transaction, studio)
          const about = await aboutRemoval(transaction, id)
          return { about, by: about.begun ? null : await doerOf(transaction, id, options.by) }
        })
        const { id, name, items, members, tokens, begun } = about
        const what = `${name} will be removed for good: ${counted(items, 'item')}, ${counted(members, 'member')}, ${counted(tokens, 'token')} and everything else of it.`
        await requireConsent({ what, yes: options.yes, asking: terminal(), typed: name })
        const file = options.photoKeys === undefined ? undefined : await openKeysFile(options.photoKeys, begun)
        const kept = await beginRemoval(database.adminUrl, id, by).catch(async (error: unknown) => {
          await file?.discard()
          throw error
        })
        for (const { login, keptBecause } of kept) {
          warn(`${login} sees nothing and cannot log in, but the role still exists: ${keptBecause}`)
        }
        // Not before: whatever was added until the removal began is among them.
        const keys = await photoKeysOf(database.adminUrl, id)
        const photos = file ? await file.add(keys) : keys.length
        if (!file && photos > 0) warn(`${counted(photos, 'photo')} will stay in your storage.`)
        const rows = await removeRows(database.adminUrl, id, (done) => remark(`${done} rows removed …`))
        if (options.json)
          return printJson({
            studio_id: id,
            name,
            removed_rows: rows,
            photos,
            kept_logins: kept.map(({ login, keptBecause }) => ({ login, kept_because: keptBecause })),
          })
        printDone(`Removed: ${name}`)
      })
    })
}
