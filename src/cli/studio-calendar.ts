import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { type ActorOptions, command, jsonOption, onDatabase } from './command.ts'
import { requireConsent } from './dialogue.ts'
import { CommandError } from './failure.ts'
import { newValues, printResult, warn } from './output.ts'
import type { Context, Session } from './session.ts'

export function studioTimeZoneCommand(context: Context): Command {
  return command('time-zone')
    .description('Give a studio and the logins of its analysts another time zone.')
    .argument('<studio>', 'its name or id')
    .argument('<zone>', 'its IANA name, such as Europe/Berlin')
    .option('-y, --yes', 'do not ask', false)
    .option('--by <email>', "the owner or admin named in the audit log (default: the studio's owner)")
    .addOption(jsonOption())
    .notes(`
Policies, trials and months begin and end at its midnights from then on. Closed months and days that are written down stay.

Examples:
  studio-inventory studio time-zone "Northlight Studios" America/New_York`)
    .action(
      onDatabase(context, async ({ database, inStudio }, studio: string, timezone: string, options: ConsentOptions) => {
        const { asAdministrator } = await import('../database/session.ts')
        const { retryConflicts } = await import('../migration/conflicts.ts')
        const { id, name, was, by } = await inStudio(studio, async ({ query, id, doer }) => {
          const text = 'select name, timezone as was from app.studios where id = $1'
          return { id, by: await doer(options.by), ...(await query<{ name: string; was: string }>(text, [id]))[0] }
        })
        const what = `${name}: ${was} becomes ${timezone}. From now on policies, months and today's values follow its midnight. Dated values and closed months do not change.`
        await requireConsent({ what, yes: options.yes })
        const [done] = await retryConflicts(() =>
          asAdministrator(database.adminUrl, ({ query }) =>
            query<{ not_set: string[] }>('select access.set_time_zone($1, $2, $3)::text[] as not_set', [
              id,
              timezone,
              by,
            ]),
          ),
        )
        for (const login of done?.not_set ?? []) warn(`${login} keeps its time zone: only a superuser can set it`)
        printResult(options.json, { studio_id: id, timezone, not_set: done?.not_set }, `Time zone: ${timezone}`)
      }),
    )
}

export function studioCurrencyCommand(context: Context): Command {
  return command('currency')
    .description('Correct the currency of a studio. Its amounts are not converted.')
    .argument('<studio>', 'its name or id')
    .argument('<code>', 'its ISO 4217 code, such as EUR')
    .option('-y, --yes', 'do not ask', false)
    .option('--by <email>', "the owner or admin named in the audit log (default: the studio's owner)")
    .addOption(jsonOption())
    .notes(`
Amounts stay the same numbers, with the decimals of the new currency: 12000.00 euros become 12000 yen. Closed months keep
the currency in which they were closed.

Examples:
  studio-inventory studio currency "Northlight Studios" USD`)
    .action(
      onDatabase(context, async ({ inStudio, asOwner }, studio: string, code: string, options: ConsentOptions) => {
        const change = await inStudio(studio, async ({ query, id, doer }) => {
          const text = `select s.id, s.name, s.currency as was, s.minor_units as "decimalsNow", app.minor_units($2) as decimals,
              access.finer_amounts(s.id, $2)::integer as finer
            from app.studios s where s.id = $1`
          const [found] = await query<CurrencyChange>(text, [id, code])
          if (found === undefined) throw new Error('the studio is gone')
          return { ...found, by: await doer(options.by) }
        })
        if (change.decimals === null) {
          throw new CommandError(`${code} is not an ISO 4217 currency code in use`, 'Write a code such as EUR.')
        }
        if (change.finer === 0) await requireConsent({ what: currencyInWords(change, code), yes: options.yes })
        await asOwner(({ query }) => query('select access.set_currency($1, $2, $3)', [change.id, code, change.by]))
        printResult(
          options.json,
          { studio_id: change.id, currency: code, decimals: change.decimals },
          `Currency: ${code}`,
        )
      }),
    )
}

type CurrencyChange = {
  id: string
  name: string
  was: string
  decimalsNow: number
  /** Null if ISO 4217 has no such currency. */
  decimals: number | null
  /** How many amounts have more decimals than the currency. */
  finer: number
}

function currencyInWords({ name, was, decimalsNow, decimals }: CurrencyChange, code: string): string {
  const same = `${name}: ${was} becomes ${code}. No amount is converted: 12000 ${was} become 12000 ${code}. Closed months keep ${was}.`
  if (decimals === decimalsNow) return same
  return `${same} Amounts get ${decimals} decimals instead of ${decimalsNow}, values are rounded to them, and clients that poll get all records again.`
}

type ConsentOptions = ActorOptions & { yes: boolean }

type FinancialYearOptions = ActorOptions & { studio: string; month: number | 'none' }

export function studioFinancialYearCommand(context: Context): Command {
  return command('financial-year')
    .description('Set the month in which the financial year of a studio begins, and base depreciation on those years.')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .addOption(
      new Option('--month <number>', 'its first month, 1 to 12; none: the years of each item')
        .argParser(monthOrNone)
        .makeOptionMandatory(),
    )
    .option('--by <email>', "the owner or admin named in the audit log (default: the studio's owner)")
    .addOption(jsonOption())
    .notes(`
Values are recalculated immediately. The first year of an item goes from its month of acquisition, which counts as a
whole one, to the end of that financial year.

Examples:
  studio-inventory studio financial-year --studio "Northlight Studios" --month 4
  studio-inventory studio financial-year --studio "Northlight Studios" --month none`)
    .action(
      onDatabase(context, async (session, options: FinancialYearOptions) => {
        const month = options.month === 'none' ? null : options.month
        await setTerms(session, options.studio, 'access.set_financial_year($1, $2, $3)', { month }, options)
      }),
    )
}

export function studioFirstPeriodCommand(context: Context): Command {
  return command('first-period')
    .description('Set how the first period of depreciation counts in a studio.')
    .argument('<studio>', 'its name or id')
    .addArgument(new Argument('<convention>', 'how').choices(['full_month', 'half_year', 'mid_month', 'day']))
    .option('--by <email>', "the owner or admin named in the audit log (default: the studio's owner)")
    .addOption(jsonOption())
    .notes(`
Values are recalculated immediately; closed months stay. full_month: the month of acquisition counts whole. half_year:
depreciation begins in the middle of the financial year of acquisition. mid_month: in the middle of the month of
acquisition. day: on the day, by days of the year. Years are financial years, or calendar years without one.

Examples:
  studio-inventory studio first-period "Northlight Studios" half_year`)
    .action(
      onDatabase(context, (session, studio: string, first_period: string, options: ActorOptions) =>
        setTerms(session, studio, 'access.set_first_period($1, $2, $3)', { first_period }, options),
      ),
    )
}

type CategoryOptions = ActorOptions & { rate?: number | 'none'; switch: 'yes' | 'no' | 'floor' }

export function studioCategoryCommand(context: Context): Command {
  return command('category')
    .description('Set the rate and the switch by which a studio depreciates a category.')
    .argument('<studio>', 'its name or id')
    .argument('<category>', 'the category, in any case')
    .addOption(
      new Option(
        '--rate <percent>',
        'rate of a declining method, percent a year; none: 150 or 200 % by the useful life',
      )
        .argParser(percentOrNone)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--switch <yes, no or floor>',
        'yes: it changes to straight line once that charges more; floor: it never charges less than straight line',
      )
        .choices(['yes', 'no', 'floor'])
        .default('no'),
    )
    .option('--by <email>', "the owner or admin named in the audit log (default: the studio's owner)")
    .addOption(jsonOption())
    .notes(`
They hold for the items of the category that have no rate or switch of their own. Values are recalculated immediately;
closed months stay.

Examples:
  studio-inventory studio category "Northlight Studios" "Computers & Software" --rate 40 --switch yes
  studio-inventory studio category "Northlight Studios" "Computers & Software" --rate none`)
    .action(
      onDatabase(context, async (session, studio: string, category: string, options: CategoryOptions) => {
        const rate = options.rate === 'none' ? null : options.rate
        const terms = { category, rate, switches_to_straight_line: options.switch }
        const call = `access.set_category_terms($1, $2, $3, nullif($4, 'no'), $5)`
        await setTerms(session, studio, call, terms, options)
      }),
    )
}

/** Sets terms of depreciation, and says what was set and how many items have a new value.
 * @param call of a function of PostgreSQL with the studio, the terms and the person who sets them */
async function setTerms(
  { inStudio }: Session,
  studio: string,
  call: string,
  terms: object,
  { by, json }: ActorOptions,
): Promise<void> {
  const changed = await inStudio(studio, async ({ query, id, doer }) => {
    const values = [id, ...Object.values(terms), await doer(by)]
    const [row] = await query<{ moved: number }>(`select ${call} as moved`, values)
    return { studio_id: id, ...terms, new_values: row?.moved ?? 0 }
  })
  printResult(json, changed, newValues(changed.new_values))
}

function percentOrNone(text: string): number | 'none' {
  if (text === 'none') return text
  const percent = Number(text.replace(/ ?%$/, ''))
  if (!(percent > 0 && percent <= 100))
    throw new InvalidArgumentError('Write a percentage above 0 and up to 100, or none.')
  return percent
}

function monthOrNone(text: string): number | 'none' {
  if (text === 'none') return text
  if (!/^(?:[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('Write a month from 1 to 12, or none.')
  return Number(text)
}
