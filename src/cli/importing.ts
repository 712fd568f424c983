import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Kind } from '../apps/importer/kinds/kind.ts'
import { answerTo, type Terminal } from './dialogue.ts'
import { CommandError } from './failure.ts'
import { nothingImported } from './import/telling.ts'
import { remark } from './output.ts'

/** One and many rows of a kind whose rows can be archived. @throws CommandError for another */
export function archivableNouns(name: string, kind: Kind | undefined): readonly [string, string] {
  if (kind?.archivable) return kind.nouns
  throw new CommandError(
    `${name} cannot be archived, so --archive-missing does not work for them`,
    'It works for items and policies. An import never deletes anything.',
  )
}

/** @throws CommandError when there is no such file, or a folder in its place */
export async function requireReadable(path: string, kind: string): Promise<void> {
  const state = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`cannot read ${path}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`)
  })
  if (kind === 'photos' && !state.isDirectory()) throw new CommandError(`${path} is not a folder of photos`)
  if (kind !== 'photos' && state.isDirectory()) throw new CommandError(`${path} is a folder, not a CSV file`)
}

/** @throws CommandError when the report would take the place of the file */
export function requireOther(path: string, reportFile: string | undefined): void {
  if (reportFile !== undefined && resolve(reportFile) === resolve(path)) {
    throw new CommandError('the report would overwrite the file', 'Give another name to --report.')
  }
}

/** Says how many rows would be archived and asks, unless the answer was given in advance. */
export function archivingAgreed(
  nouns: readonly [string, string],
  yes: boolean,
  asking: Terminal,
): (rows: number) => Promise<boolean> {
  return async (rows) => {
    const what = `${rows === 1 ? `1 ${nouns[0]} is` : `${rows} ${nouns[1]} are`} not in the file and will be archived.`
    if (yes) {
      remark(what)
      return true
    }
    if (asking === undefined) {
      throw new CommandError(`${what} Nothing was imported.`, 'Without a terminal, confirm it with --yes.')
    }
    // Whoever ends the input instead has not agreed.
    return /^y(?:es)?$/i.test(await answerTo(`${what} Go on? [y/N] `, asking, nothingImported))
  }
}
