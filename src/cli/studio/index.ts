import type { Command } from 'commander'
import { command } from '../command.ts'
import type { Context } from '../session.ts'
import { studioArchiveCommand } from './archive.ts'
import { studioCreateCommand } from './create.ts'
import { studioExportCommand } from './export-files.ts'
import { studioFinancialYearCommand } from './financial-year.ts'
import { studioListCommand } from './list.ts'
import { studioPlanCommand } from './plan.ts'
import { studioPublicApiCommand } from './public-api.ts'
import { studioRemoveCommand } from './remove.ts'
import { studioRenameCommand } from './rename.ts'

/** `studio`: the studios of this database. */
export function studioCommand(context: Context): Command {
  return command('studio')
    .description('The studios of this database.')
    .addCommand(studioCreateCommand(context))
    .addCommand(studioListCommand(context))
    .addCommand(studioRenameCommand(context))
    .addCommand(studioPlanCommand(context))
    .addCommand(studioFinancialYearCommand(context))
    .addCommand(studioPublicApiCommand(context))
    .addCommand(studioExportCommand(context))
    .addCommand(studioArchiveCommand(context))
    .addCommand(studioRemoveCommand(context))
}
