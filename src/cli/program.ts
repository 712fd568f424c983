import type { Command } from 'commander'
import { manifest } from '../config/config.ts'
import { analystCommand } from './analyst.ts'
import { auditCommand } from './audit.ts'
import { command } from './command.ts'
import { demoCommand, jobsCommand, migrateCommand, urlCommand } from './database.ts'
import { importCommand } from './import.ts'
import { memberCommand } from './member.ts'
import { reportCommand } from './report.ts'
import { graphqlCommand, mcpCommand, serveCommand } from './serve.ts'
import type { Context } from './session.ts'
import { studioCommand } from './studio.ts'
import { tokenCommand } from './token.ts'

/** Makes the command line. Each command loads its code when it runs, so help is fast. */
export function makeProgram(context: Context): Command {
  return command('studio-inventory')
    .description("A read-only REST API over a studio's equipment, maintenance, insurance policies and valuation.")
    .version(manifest.version, '-V, --version', 'print the version')
    .addCommand(serveCommand(context))
    .addCommand(graphqlCommand(context))
    .addCommand(migrateCommand(context))
    .addCommand(demoCommand(context))
    .addCommand(importCommand(context))
    .addCommand(studioCommand(context))
    .addCommand(memberCommand(context))
    .addCommand(tokenCommand(context))
    .addCommand(analystCommand(context))
    .addCommand(reportCommand(context))
    .addCommand(auditCommand(context))
    .addCommand(mcpCommand(context))
    .addCommand(jobsCommand(context))
    .addCommand(urlCommand(context))
    .notes(`
Without DATABASE_URL an embedded PostgreSQL server in DATA_DIR (.data) is used: the one that serve runs, or one that is
started for the command. With DATABASE_URL the database is yours: run migrate first.

Examples:
  studio-inventory serve
  studio-inventory token create --studio "Northlight Studios" --name "Accounting"
  studio-inventory import items items.csv --studio "Northlight Studios" --dry-run
  studio-inventory token create --help
  psql "$(studio-inventory url)"`)
}
