import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { counted } from '../domain/text.ts'
import { command, jsonOption } from './command.ts'
import { requireConsent, terminal } from './dialogue.ts'
import { CommandError } from './failure.ts'
import { printDone, printJson, remark, warn } from './output.ts'
import type { Context } from './session.ts'

type ArchiveOptions = { undo: boolean; by?: string; yes: boolean; json: boolean }

export function studioArchiveCommand(context: Context): Command {
  return command('archive')
    .description('Take a studio out of use, with all its data and tokens kept; --undo brings it back.')
    .argument('<studio>', 'its name or id')
    .option('--undo', 'bring an archived studio back', false)
    .option('--by <email>', "the owner in whose name it is done (default: the studio's owner)")
    .option('-y, --yes', 'do not ask', false)
    .addOption(jsonOption())
    .notes(`
Of an archived studio the API and GraphQL answer 403, the console does not show it, and its analysts cannot log in.

Examples:
  studio-inventory studio archive "Northlight Studios"
  studio-inventory studio archive "Northlight Studios" --undo`)
    .action(async (studio: string, options: ArchiveOptions) => {
      const { asOwner, doerOf, findStudio, withDatabase } = await import('./session.ts')
      const { lockLogins } = await import('../apps/analysts/logins.ts')
      await withDatabase(context, async ({ database }) => {
        const archived = !options.undo
        const { id, name, by } = await asOwner(database.adminUrl, async (transaction) => {
          const id = await findStudio(transaction, studio)
          const [found] = await transaction.query<{ name: string }>('select name from app.studios where id = $1', [id])
          return { id, name: found?.name ?? studio, by: await doerOf(transaction, id, options.by) }
        })
        const what = `Every request with a token of ${name} will be refused; its people and analysts will see nothing of it.`
        if (archived) await requireConsent({ what, yes: options.yes, asking: terminal() })
        await asOwner(database.adminUrl, (transaction) =>
          transaction.query('select access.archive_studio($1, $2, $3)', [id, archived, by]),
        )
        const logins = await lockLogins(database.adminUrl, id, archived)
        if (options.json) return printJson({ studio_id: id, archived, analyst_logins: logins })
        printDone(archived ? `Archived: ${name}` : `Back in use: ${name}`)
      })
    })
}

type RemoveOptions = { by?: string; yes: boolean; photoKeys?: string; json: boolean }

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
    .notes(`
It asks for the name of the studio. Nobody reads the studio from the first moment on; its rows are then removed in small
transactions. When it is interrupted, the same command goes on, and adds to the file of --photo-keys what it lacks. The audit
log keeps who did what by id; people who are a member of no other studio, and in no other one's audit log, lose their name
and e-mail. Photos are files of yours: delete them by --photo-keys. Backups keep what they have: docs/operating.md.

Examples:
  studio-inventory studio export "Northlight Studios" northlight/
  studio-inventory studio remove "Northlight Studios" --photo-keys northlight-photos.txt`)
    .action(async (studio: string, options: RemoveOptions) => {
      const { asOwner, doerOf, findStudio, withDatabase } = await import('./session.ts')
      const { aboutRemoval, beginRemoval, photoKeysOf, removeRows } = await import('./removal.ts')
      await withDatabase(context, async ({ database }) => {
        const { about, by } = await asOwner(database.adminUrl, async (transaction) => {
          const id = await findStudio(transaction, studio)
          const about = await aboutRemoval(transaction, id)
          return { about, by: about.begun ? null : await doerOf(transaction, id, options.by) }
        })
        const { id, name, items, members, tokens, begun } = about
        const what = `${name} will be removed for good: ${counted(items, 'item', 'items')}, ${counted(members, 'member', 'members')}, ${counted(tokens, 'token', 'tokens')} and everything else of it.`
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
        if (!file && photos > 0) warn(`${counted(photos, 'photo', 'photos')} will stay in your storage.`)
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

/** A file that gets the storage keys of a studio's photos, one a line. */
type KeysFile = {
  /** Adds the keys that it does not have; returns the number of keys in it. */
  add(keys: readonly string[]): Promise<number>
  /** Removes it, if it was made now. */
  discard(): Promise<void>
}

/** Opens the file before anything is removed. @param goesOn the removal was interrupted: the file may have keys already
 * @throws CommandError when it exists although the removal has not begun, and when it cannot be written */
async function openKeysFile(path: string, goesOn: boolean): Promise<KeysFile> {
  await writeFile(path, '', { flag: goesOn ? 'a' : 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST')
      throw new CommandError(`cannot write ${path}: ${error.message}`, 'Nothing was removed.')
    throw new CommandError(`${path} is there already`, 'Name a new file with --photo-keys. Nothing was removed.')
  })
  return {
    async add(keys) {
      const there = new Set((await readFile(path, 'utf8')).split('\n').filter(Boolean))
      const missing = keys.filter((key) => !there.has(key))
      await appendFile(path, missing.map((key) => `${key}\n`).join(''))
      return there.size + missing.length
    },
    async discard() {
      if (!goesOn) await rm(path, { force: true })
    },
  }
}
