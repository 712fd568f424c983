import { Argument, type Command, Option } from 'commander'
import { utc } from '../database/client.ts'
import { counted } from '../domain/text.ts'
import { type ActorOptions, command, jsonOption, onDatabase } from './command.ts'
import { requireConsent } from './dialogue.ts'
import { unknown } from './failure.ts'
import { printList, printResult } from './output.ts'
import type { Context, OpenStudio } from './session.ts'

export function memberCommand(context: Context): Command {
  return command('member')
    .description('The members of a studio: who may sign in to its console, and as whom tokens act.')
    .addCommand(memberAddCommand(context))
    .addCommand(memberListCommand(context))
    .addCommand(memberRoleCommand(context))
    .addCommand(memberRemoveCommand(context))
}

const roles = ['owner', 'admin', 'member'] as const

/** A member, and what their removal does. `since` is RFC 3339 in UTC. */
type Member = {
  id: string
  email: string
  name: string
  role: string
  since: string
  /** Working tokens that act only as the member. The removal revokes them. */
  tokens: number
  /** Working tokens that act as the member now, and after the removal as their issuers. */
  scoped_tokens: number
  /** Analysts' logins that end with the removal. */
  analyst_logins: number
}

function membersOf({ query, id }: OpenStudio): Promise<Member[]> {
  return query<Member>(
    `select user_id as id, email, name, role, ${utc('since')} as since, own_tokens::int as tokens,
       scoped_tokens::int, analyst_logins::int
     from access.list_members($1)`,
    [id],
  )
}

/** The member with this e-mail address (ASCII in any case). @throws CommandError for none */
async function findMember(studio: OpenStudio, email: string): Promise<Member> {
  const members = await membersOf(studio)
  const found = members.find((member) => member.email.toLowerCase() === email.toLowerCase())
  if (found) return found
  const known = members.map((member) => ({ name: member.email }))
  throw unknown('the studio has no such member', email, known, 'studio-inventory member list --studio …')
}

/** Explains the removal of a member, in full sentences. */
function consequences({ name, tokens, scoped_tokens, analyst_logins }: Member): string {
  return [
    `${name} loses access to the studio immediately.`,
    tokens > 0 &&
      `${counted(tokens, 'token', 'tokens')} that ${tokens === 1 ? 'acts' : 'act'} as ${name} will be revoked.`,
    scoped_tokens > 0 &&
      `${counted(scoped_tokens, 'token', 'tokens')} of others scoped to ${name} will act as ${scoped_tokens === 1 ? 'its issuer' : 'their issuers'}.`,
    analyst_logins > 0 && `${counted(analyst_logins, "analyst's login", "analysts' logins")} will see nothing.`,
  ]
    .filter(Boolean)
    .join(' ')
}

type InStudio = ActorOptions & { studio: string }

function memberAddCommand(context: Context): Command {
  return command('add')
    .description('Add a member to a studio, by the e-mail with which they sign in. Sends no message.')
    .argument('<email>', 'their e-mail')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .addOption(new Option('--role <role>', 'their role').choices(roles).default('member'))
    .option('--name <text>', 'how this studio names them (default: the e-mail)')
    .option('--by <email>', "the owner or admin named in the audit log (default: the studio's owner)")
    .addOption(jsonOption())
    .notes(`
Owners and admins manage tokens and members; only owners make owners. Members see the tokens.

Examples:
  studio-inventory member add --studio "Northlight Studios" mia@northlight.example --name "Mia Lindqvist"
  studio-inventory member add --studio "Northlight Studios" theo@northlight.example --role admin`)
    .action(
      onDatabase(context, async ({ inStudio }, email: string, options: InStudio & { role: string; name?: string }) => {
        const { studio, role, name = '', by, json } = options
        const [row] = await inStudio(studio, async ({ query, id, doer }) => {
          const text = 'select access.admit_member($1, $2, $3, $4, $5) as id'
          return query<{ id: string }>(text, [id, email, name, role, await doer(by)])
        })
        printResult(json, { id: row?.id, email, role }, `Added: ${email} (${role})`)
      }),
    )
}

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
    .action(
      onDatabase(context, async ({ inStudio }, { studio, json }: InStudio) => {
        const columns = {
          name: { heading: 'NAME' },
          email: { heading: 'E-MAIL' },
          role: { heading: 'ROLE' },
          since: { heading: 'SINCE' },
          tokens: { heading: 'TOKENS', numeric: true },
          scoped_tokens: { heading: 'SCOPED', numeric: true },
          analyst_logins: { heading: 'ANALYST LOGINS', numeric: true },
        } as const
        printList(json, await inStudio(studio, membersOf), 'The studio has no members.', columns, (member) => ({
          ...member,
          since: member.since.slice(0, 10),
        }))
      }),
    )
}

function memberRoleCommand(context: Context): Command {
  return command('role')
    .description('Give a member another role. A studio keeps at least one owner; only owners make owners.')
    .argument('<email>', 'the e-mail of the member')
    .addArgument(new Argument('<role>', 'the new role').choices(roles))
    .requiredOption('--studio <name-or-id>', 'the studio')
    .option('--by <email>', "the owner or admin named in the audit log (default: the studio's owner)")
    .addOption(jsonOption())
    .notes(`
The tokens that a former admin created keep working.

Examples:
  studio-inventory member role --studio "Northlight Studios" mia@northlight.example admin`)
    .action(
      onDatabase(context, async ({ inStudio }, address: string, role: string, { studio, by, json }: InStudio) => {
        const { id, email } = await inStudio(studio, async (open) => {
          const doer = await open.doer(by)
          const member = await findMember(open, address)
          await open.query('select access.change_role($1, $2, $3, $4)', [open.id, member.id, role, doer])
          return member
        })
        printResult(json, { id, email, role }, `${email}: ${role}`)
      }),
    )
}

function memberRemoveCommand(context: Context): Command {
  return command('remove')
    .description('Remove a member from a studio, revoke their tokens and end their analyst logins.')
    .argument('<email>', 'the e-mail of the member')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .option('--by <email>', "the owner or admin named in the audit log (default: the studio's owner)")
    .option('-y, --yes', 'do not ask', false)
    .addOption(jsonOption())
    .notes(`
It says how many tokens are revoked and asks. A token of somebody else that is scoped to the member acts as its issuer
afterwards. A member who is added again gets no token back.

Examples:
  studio-inventory member remove --studio "Northlight Studios" mia@northlight.example
  studio-inventory member remove --studio "Northlight Studios" mia@northlight.example --yes --json`)
    .action(
      onDatabase(context, async ({ asOwner, inStudio }, address: string, options: InStudio & { yes: boolean }) => {
        const { studio, by, yes, json } = options
        const { values, member } = await inStudio(studio, async (open) => {
          const doer = await open.doer(by)
          const member = await findMember(open, address)
          return { values: [open.id, member.id, doer], member }
        })
        await requireConsent({ what: consequences(member), yes })
        const [row] = await asOwner(({ query }) =>
          query<{ revoked: number }>('select access.dismiss_member($1, $2, $3) as revoked', values),
        )
        const { id, email } = member
        const revoked_tokens = row?.revoked ?? 0
        printResult(json, { id, email, revoked_tokens }, `Removed: ${email}. Revoked tokens: ${revoked_tokens}`)
      }),
    )
}
