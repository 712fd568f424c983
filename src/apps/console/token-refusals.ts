import { BadAddress } from '../../auth/token-limits.ts'
import { StatementFailed } from '../../database/errors.ts'
import { isDay } from '../../domain/dates.ts'

class BadLastDay extends Error {}

const badLastDay = 'Enter a last day that has not passed, as YYYY-MM-DD.'

/** The last day of a token as it was typed. @throws BadLastDay for what is no day */
export function requireLastDay(text: string): string {
  if (!isDay(text)) throw new BadLastDay()
  return text
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** What a person reads when no token was created; null when something else failed. */
export function refusalOf(error: unknown, scoped: boolean): string | null {
  if (error instanceof BadLastDay) return `${badLastDay} No token was created.`
  if (error instanceof BadAddress) return `${sentence(error.message)} No token was created.`
  if (!(error instanceof StatementFailed)) return null
  switch (error.sqlState) {
    case '22023':
    case '22021':
      return 'Enter a name of 1 to 100 characters. No token was created.'
    case '22008':
      return `${badLastDay} No token was created.`
    case 'SI402':
      return 'The plan no longer includes API tokens. No token was created.'
    case 'SI404':
    case '22P02':
      return scoped ? 'The team member chosen is not a current member of the studio. No token was created.' : null
    default:
      return null
  }
}
