import { Argument, type Command, Option } from 'commander'
import { utc } from '../database/client.ts'
import type { Transaction } from '../database/session.ts'
import { counted } from '../domain/text.ts'
import { command, jsonOption } from './command.ts'
import { requireConsent, terminal } from './dialogue.ts'
import { unknown } from './failure.ts'
import { print, printDone, printJson } from './output.ts'
import type { Context } from './session.ts'
import { printTable } from './table.ts'

export function memberCommand(context: Context): Command {
  return command('member')
    .description('The members of a studio: who may sign in to its console, and as whom tokens act.')
    .addCommand(memberAddCommand(context))
    .addCommand(memberListCommand(context))
    .addCommand(memberRoleCommand(context))
    .addCommand(memberRemoveCommand(context))
}

const roles = ['owner', 'admin', 'member'] as const

/** A member of a studio, with what their removal does; `since` is RFC 3339 in UTC. */
type Member = {
  id: string
  email: string
  name: string
  role: string
  since: string
  /** Working tokens that act as the member alone, and are revoked with the removal. */
  tokens: number
  /** Working tokens that act as the member, and as their issuers, other members, afterwards. */
  scoped_tokens: number
  /** Logins of analysts that end with it. */
  analyst_logins: number
}

function membersOf(transaction: Transaction, studioId: string): Promise<Member[]> {
  return transaction.query<Member>(
    `select user_id as id, email, name, role, ${utc('since')} as since, own_tokens::int as tokens,
       scoped_tokens::int, analyst_logins::int
     from access.list_members($1)`,
    [studioId],
  )
}

/** The member of a studio with this e-mail (ASCII in any case). @throws CommandError when there is none */
async function findMember(transaction: Transaction, studioId: string, email: string): Promise<Member> {
  const members = await membersOf(transaction, studioId)
  const found = members.find((member) => member.email.toLowerCase() === email.toLowerCase())
  if (found) return found
  const known = members.map((member) => ({ name: member.email }))
  throw unknown('the studio has no such member', email, known, 'studio-inventory member list --studio …')
}

/** What the removal of a member does, in whole sentences. */
function consequences({ name, tokens, scoped_tokens, analyst_logins }: Member): string {
  return [
    `${name} loses access to the studio at once.`,
    tokens > 0 &&
      `${counted(tokens, 'token', 'tokens')} that ${tokens === 1 ? 'acts' : 'act'} as ${name} will be revoked.`,
    scoped_tokens > 0 &&
      `${counted(scoped_tokens, 'token', 'tokens')} of others scoped to ${name} will act as ${scoped_tokens === 1 ? 'its issuer' : 'their issuers'}.`,
    analyst_logins > 0 && `${counted(analyst_logins, "analyst's login", "analysts' logins")} will see nothing.`,
  ]
    .filter(Boolean)
    .join(' ')
}

type AddOptions = { studio: string; role: string; name?: string; by?: string; json: boolean }

function memberAddCommand(context: Context): Command {
  return command('add')
    .description('Make somebody a member of a studio, by the e-mail under which they sign in. No message is sent.')
    .argument('<email>', 'their e-mail')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .addOption(new Option('--role <role>', 'their role').choices(roles).default('member'))
    .option('--name <text>', 'how this studio names them (default: the e-mail)')
    .option('--by <email>', "the owner or admin in whose name it is done (default: the studio's owner)")
    .addOption(jsonOption())
    .notes(`
Owners and admins manage tokens and members; only owners make owners. Members see the tokens.

Examples:
  studio-inventory member add --studio "Northlight Studios" mia@northlight.example --name "Mia Lindqvist"
  studio-inventory member add --studio "Northlight Studios" theo@northlight.example --role admin`)
    .action(async (email: string, options: AddOptions) => {
      const { asOwner, doerOf, findStudio, withDatabase } = await import('./session.ts')
      await withDatabase(context, async ({ database }) => {
        const { role, name } = options
        const id = await asOwner(database.adminUrl, async (transaction) => {
          const studioId = await findStudio(transaction, options.studio)
          const by = await doerOf(transaction, studioId, options.by)
          const text = 'select access.admit_member($1, $2, $3, $4, $5) as id'
          const [row] = await transaction.query<{ id: string }>(text, [studioId, email, name ?? '', role, by])
          return row?.id
        })
        if (options.json) return printJson({ id, email, role })
        printDone(`Added: ${email} (${role})`)
      })
    })
}

type ListOptions = { studio: string; json: boolean }

function memberListCommand(context: Context): Command {
  return command('list')
    .description('List the members of a studio by name, with their roles and the tokens that act as them.')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .addOption(jsonOption())
    .notes(`
TOKENS act as the member and are revoked with their removal; SCOPED are tokens of others that are scoped to them.

Examples:
  studio-inventory member list --studio "Northlight Studios"
  studio-inventory member list --studio "Northlight Studios" --json`)
    .action(async (options: ListOptions) => {
      const { asOwner, findStudio, withDatabase } = await import('./session.ts')
      await withDatabase(context, async ({ database }) => {
        const members = await asOwner(database.adminUrl, async (transaction) =>
          membersOf(transaction, await findStudio(transaction, options.studio)),
        )
        if (options.json) return printJson(members)
        if (members.length === 0) return print('The studio has no members.')
        printTable(
          members.map((member) => ({ ...member, since: member.since.slice(0, 10) })),
          {
            name: { heading: 'NAME', least: 12 },
            email: { heading: 'E-MAIL', least: 16 },
            role: { heading: 'ROLE' },
            since: { heading: 'SINCE' },
            tokens: { heading: 'TOKENS', numeric: true },
            scoped_tokens: { heading: 'SCOPED', numeric: true },
            analyst_logins: { heading: 'ANALYST LOGINS', numeric: true },
          },
        )
      })
    })
}

type RoleOptions = { studio: string; by?: string; json: boolean }

function memberRoleCommand(context: Context): Command {
  return command('role')
    .description('Give a member another role. A studio keeps at least one owner; only owners make owners.')
    .argument('<email>', 'the e-mail of the member')
    .addArgument(new Argument('<role>', 'the new role').choices(roles))
    .requiredOption('--studio <name-or-id>', 'the studio')
    .option('--by <email>', "the owner or admin in whose name it is done (default: the studio's owner)")
    .addOption(jsonOption())
    .notes(`
The tokens that a former admin created keep working.

Examples:
  studio-inventory member role --studio "Northlight Studios" mia@northlight.example admin`)
    .action(async (email: string, role: string, options: RoleOptions) => {
      const { asOwner, doerOf, findStudio, withDatabase } = await import('./session.ts')
      await withDatabase(context, async ({ database }) => {
        const member = await asOwner(database.adminUrl, async (transaction) => {
          const studioId = await findStudio(transaction, options.studio)
          const by = await doerOf(transaction, studioId, options.by)
          const found = await findMember(transaction, studioId, email)
          await transaction.query('select access.change_role($1, $2, $3, $4)', [studioId, found.id, role, by])
          return found
        })
        if (options.json) return printJson({ id: member.id, email: member.email, role })
        printDone(`${member.email}: ${role}`)
      })
    })
}

type RemoveOptions = { studio: string; by?: string; yes: boolean; json: boolean }

function memberRemoveCommand(context: Context): Command {
  return command('remove')
    .description('Remove a member from a studio: their tokens are revoked, and their analyst logins end.')
    .argument('<email>', 'the e-mail of the member')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .option('--by <email>', "the owner or admin in whose name it is done (default: the studio's owner)")
    .option('-y, --yes', 'do not ask', false)
    .addOption(jsonOption())
    .notes(`
It says how many tokens are revoked and asks. A token of somebody else that is scoped to the member acts as its issuer
afterwards. A member who is added again gets no token back.

Examples:
  studio-inventory member remove --studio "Northlight Studios" mia@northlight.example
  studio-inventory member remove --studio "Northlight Studios" mia@northlight.example --yes --json`)
    .action(async (email: string, options: RemoveOptions) => {
      const { asOwner, doerOf, findStudio, withDatabase } = await import('./session.ts')
      await withDatabase(context, async ({ database }) => {
        const { studioId, by, member } = await asOwner(database.adminUrl, async (transaction) => {
          const studioId = await findStudio(transaction, options.studio)
          const by = await doerOf(transaction, studioId, options.by)
          return { studioId, by, member: await findMember(transaction, studioId, email) }
        })
        await requireConsent({ what: consequences(member), yes: options.yes, asking: terminal() })
        const [row] = await asOwner(database.adminUrl, (transaction) =>
          transaction.query<{ revoked: number }>('select access.dismiss_member($1, $2, $3) as revoked', [
            ...[studioId, member.id, by],
          ]),
        )
        const revoked = row?.revoked ?? 0
        if (options.json) return printJson({ id: member.id, email: member.email, revoked_tokens: revoked })
        printDone(`Removed: ${member.email}. Revoked tokens: ${revoked}`)
      })
    })
}
