import { appendFile, readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Transaction } from '../database/session.ts'
import { counted, messageOf } from '../domain/text.ts'
import { type ActorOptions, command, jsonOption, onDatabase } from './command.ts'
import { requireConsent } from './dialogue.ts'
import { CommandError } from './failure.ts'
import { printResult, remark, warn } from './output.ts'
import type { Context, Session } from './session.ts'

type ArchiveOptions = ActorOptions & { undo: boolean; yes: boolean }

export function studioArchiveCommand(context: Context): Command {
  return command('archive')
    .description('Archive a studio and keep all its data and tokens; --undo brings it back.')
    .argument('<studio>', 'its name or id')
    .option('--undo', 'bring an archived studio back', false)
    .option('--by <email>', "the owner named in the audit log (default: the studio's owner)")
    .option('-y, --yes', 'do not ask', false)
    .addOption(jsonOption())
    .notes(`
Of an archived studio the API and GraphQL answer 403, the console does not show it, and its analysts cannot log in.

Examples:
  studio-inventory studio archive "Northlight Studios"
  studio-inventory studio archive "Northlight Studios" --undo`)
    .action(
      onDatabase(context, async ({ database, asOwner, inStudio }, studio: string, options: ArchiveOptions) => {
        const { lockLogins } = await import('../analysts/logins.ts')
        const archived = !options.undo
        const { id, name, by } = await inStudio(studio, async ({ query, id, doer }) => {
          const [found] = await query<{ name: string }>('select name from app.studios where id = $1', [id])
          return { id, name: found?.name, by: await doer(options.by) }
        })
        const what = `The API will refuse every token of ${name}; its people and analysts will not see it.`
        if (archived) await requireConsent({ what, yes: options.yes })
        await asOwner(({ query }) => query('select access.archive_studio($1, $2, $3)', [id, archived, by]))
        const analyst_logins = await lockLogins(database.adminUrl, id, archived)
        const line = archived ? `Archived: ${name}` : `Back in use: ${name}`
        printResult(options.json, { studio_id: id, archived, analyst_logins }, line)
      }),
    )
}

type RemoveOptions = ActorOptions & { yes: boolean; photoKeys?: string }

export function studioRemoveCommand(context: Context): Command {
  return command('remove')
    .description('Permanently remove a studio with all its data, tokens and members. Its audit log stays.')
    .argument('<studio>', 'its name or id')
    .option(
      '--photo-keys <file>',
      'write the storage keys of its photos to this file, one a line, so that you can delete the photos',
    )
    .option('--by <email>', "the owner named in the audit log (default: the studio's owner)")
    .option('-y, --yes', 'do not ask', false)
    .addOption(jsonOption())
    .notes(`
The command asks for the name of the studio. It closes the studio immediately, then removes its rows in small transactions.
If it is interrupted, run it again: it continues, and completes the file of --photo-keys. The audit log keeps who did what,
by id. People who belong to no other studio, and to no other studio's audit log, lose their name and e-mail. The photos are
your own files: delete them with --photo-keys. Backups keep what they contain: see docs/operating.md.

Examples:
  studio-inventory studio export "Northlight Studios" northlight/
  studio-inventory studio remove "Northlight Studios" --photo-keys northlight-photos.txt`)
    .action(
      onDatabase(context, async (session, studio: string, options: RemoveOptions) => {
        const { about, by } = await session.inStudio(studio, async (open) => {
          const about = await aboutRemoval(open, open.id)
          return { about, by: about.begun ? null : await open.doer(options.by) }
        })
        const { id, name, items, members, tokens } = about
        const what = `${name} will be removed permanently: ${counted(items, 'item', 'items')}, ${counted(members, 'member', 'members')}, ${counted(tokens, 'token', 'tokens')} and all its other data.`
        await requireConsent({ what, yes: options.yes, typed: name })
        const file = options.photoKeys
        if (file !== undefined) await addKeys(file, [])
        const kept = await beginRemoval(session, id, by)
        for (const { login, keptBecause } of kept) {
          warn(`${login} sees nothing and cannot log in, but the role still exists: ${keptBecause}`)
        }
        // The list is read now and not earlier, because photos were added until the removal began.
        const keys = await photoKeysOf(session, id)
        const photos = file === undefined ? keys.length : await addKeys(file, keys)
        if (file === undefined && photos > 0) warn(`${counted(photos, 'photo', 'photos')} will stay in your storage.`)
        const rows = await removeRows(session, id, (done) => remark(`${done} rows removed …`))
        const kept_logins = kept.map(({ login, keptBecause }) => ({ login, kept_because: keptBecause }))
        printResult(options.json, { studio_id: id, name, removed_rows: rows, photos, kept_logins }, `Removed: ${name}`)
      }),
    )
}

/** Adds missing storage keys to a file, one a line. @returns the number of keys in it
 * @throws CommandError when it cannot be written */
async function addKeys(path: string, keys: readonly string[]): Promise<number> {
  try {
    await appendFile(path, '')
    const there = new Set((await readFile(path, 'utf8')).split('\n').filter(Boolean))
    const missing = keys.filter((key) => !there.has(key))
    await appendFile(path, missing.map((key) => `${key}\n`).join(''))
    return there.size + missing.length
  } catch (error) {
    throw new CommandError(`cannot write ${path}: ${messageOf(error)}`, 'Name another file with --photo-keys.')
  }
}

type About = {
  id: string
  name: string
  items: number
  members: number
  tokens: number
  /** Whether an interrupted removal has begun. */
  begun: boolean
}

/** Reads what is removed with a studio. */
async function aboutRemoval(transaction: Transaction, studioId: string): Promise<About> {
  const { enterStudio } = await import('../database/session.ts')
  await enterStudio(transaction, studioId)
  const [row] = await transaction.query<About>(
    `select s.id, s.name, s.removed_at is not null as begun,
       (select count(*)::int from app.items i where i.studio_id = s.id) as items,
       (select count(*)::int from access.members m where m.studio_id = s.id) as members,
       (select count(*)::int from access.tokens t where t.studio_id = s.id) as tokens
     from app.studios s where s.id = $1`,
    [studioId],
  )
  if (row === undefined) throw new Error('the studio is gone')
  return row
}

/** Ends all access to a studio in the name of the owner `by` (null: already done), then drops
 * its analysts' logins.
 * @returns the logins that could not be dropped, and why
 * @throws StatementFailed 42501 when `by` is not an owner */
async function beginRemoval(
  { asOwner, database: { adminUrl } }: Session,
  studioId: string,
  by: string | null,
): Promise<{ login: string; keptBecause: string }[]> {
  const { dropLogin, loginsOf } = await import('../analysts/logins.ts')
  if (by !== null) await asOwner(({ query }) => query('select access.begin_removal($1, $2)', [studioId, by]))
  const kept: { login: string; keptBecause: string }[] = []
  for (const login of await loginsOf(adminUrl, studioId)) {
    const { keptBecause } = await dropLogin(adminUrl, login)
    if (keptBecause !== null) kept.push({ login, keptBecause })
  }
  return kept
}

async function photoKeysOf({ asOwner }: Session, studioId: string): Promise<string[]> {
  const { enterStudio } = await import('../database/session.ts')
  const photos = await asOwner(async (transaction) => {
    await enterStudio(transaction, studioId)
    return transaction.query<{ key: string }>(
      'select storage_key as key from app.item_photos where studio_id = $1 order by storage_key',
      [studioId],
    )
  })
  return photos.map(({ key }) => key)
}

/** Rows per transaction: it takes about a second, and blocks nobody. */
const batchSize = 2_000

/** Removes all rows of a studio whose removal has begun, in several transactions.
 * @param progress gets the number of rows removed so far after each transaction
 * @returns the number of rows removed */
async function removeRows({ asOwner }: Session, studioId: string, progress: (rows: number) => void): Promise<number> {
  let [total, before] = [0, -1]
  while (total !== before) {
    before = total
    const [row] = await asOwner(({ query }) =>
      query<{ rows: number }>('select access.remove_rows($1, $2)::int as rows', [studioId, batchSize]),
    )
    total += row?.rows ?? 0
    if ((row?.rows ?? 0) >= batchSize) progress(total)
  }
  return total
}
