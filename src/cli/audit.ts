import { type Command, Option } from 'commander'
import type { ExposedLogin } from '../audit/proof.ts'
import { command, jsonOption } from './command.ts'
import { CommandError } from './failure.ts'
import { printJson } from './output.ts'
import type { Context } from './session.ts'

type Options = {
  url?: string
  json: boolean
  accept: string[]
  matrix: boolean
  prove: boolean
  analyst?: string
  as: ExposedLogin[]
}

const logins = ['api', 'recorder', 'writer', 'console', 'graphql', 'analyst', 'auditor']

export function auditCommand(context: Context): Command {
  return command('audit')
    .description(
      'Check that the database isolates studios: by rules and comparison, as a matrix of privileges, or by attempts.',
    )
    .option(
      '--url <url>',
      "connection string of a member of studio_auditor (else AUDITOR_DATABASE_URL, else the administrator's)",
    )
    .addOption(jsonOption())
    .option(
      '--accept <names...>',
      'accept findings of these rules, or on these objects (in their current state: object@state), besides AUDIT_ACCEPT',
      [],
    )
    .option('--matrix', 'print who may read and write which view and column', false)
    .option('--prove', 'log in as each exposed role, attempt what must fail and search for foreign rows', false)
    .option('--analyst <url>', "connection string of an analyst's login, to include it")
    .addOption(new Option('--as <logins...>', 'prove only as these').choices(logins).default(logins, 'all'))
    .notes(`
Without --matrix and --prove it compares what exists with what this release installs, checks every rule, and prints what is
wrong, why it matters and how to fix it. The exit status is 0 when nothing was found, else 1. It reads only the catalog.
To compare, it installs this release in a database that it creates on the same server and drops afterwards. This needs a
login that may create databases and roles. Any other login of studio_auditor asks the rules alone and finds not_compared.
The audit lists what its login cannot see.

--prove rolls each attempt back. With an administrator's connection it creates an analyst of an existing studio
and an auditor, and drops them afterwards, also on Ctrl-C; --analyst adds a login of yours. It searches for rows of other
studios in every relation that a login can read: two studios need to have items. It recognises their ids and texts, not
numbers, dates, sums, or hashed or encoded values. The comparison without --prove finds routines that are not of this release. The service's logins need SECRET_KEY. A login that it cannot
test is a failure, unless --as excludes it.

Examples:
  studio-inventory audit
  studio-inventory audit --json --accept server_below_safe_version
  studio-inventory audit --accept 'extension pg_stat_statements@…' 'role dba_root'
  studio-inventory audit --url postgresql://dba:secret@db.example.com/studio_inventory
  studio-inventory audit --matrix > privileges.md
  studio-inventory audit --prove
  studio-inventory audit --prove --as analyst --analyst postgresql://analyst_7f3a:secret@db.example.com/studio_inventory`)
    .action(async (options: Options) => {
      if (options.matrix && options.prove) throw new CommandError('--matrix and --prove cannot be combined')
      const { printFindings, printMatrix, printProof, withAudited } = await import('./audit-output.ts')
      await withAudited(context, options, async (audited) => {
        if (options.matrix) return printMatrix(audited, options.json)
        const { sound, answer } = options.prove
          ? await printProof(audited, options.as, options.json)
          : await printFindings(audited, options.accept, options.json)
        if (!sound) process.exitCode = 1
        if (options.json) printJson(answer)
      })
    })
}
