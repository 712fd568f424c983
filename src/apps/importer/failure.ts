import { sqlState } from '../../database/errors.ts'

/** The database refused rows that had passed every check. */
export class RowsRefused extends Error {
  override name = 'RowsRefused'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/** Integrity constraint violation, and the rules of a studio's plan. */
const ofRows = /^(?:23|SI)/

/**
 * Every rule is checked before anything is written, so a refusal means that the studio's rows were changed by somebody else
 * meanwhile. Other errors are returned unchanged.
 */
export function refusedRows(error: unknown): unknown {
  const state = sqlState(error)
  if (state === undefined || !ofRows.test(state)) return error
  return new RowsRefused(
    `the rows do not fit what the studio has by now, and nothing was written (${(error as Error).message})`,
    'Somebody else may have changed it meanwhile: import the file again.',
  )
}
