import type { Transaction } from '../../database/session.ts'
import { holdRules, inTheWay } from './asking.ts'
import { compareIn } from './findings.ts'

/** The views of the audit are not those of this release. */
export class ViewsNotInstalled extends Error {
  override name = 'ViewsNotInstalled'
  readonly hint = 'They run with the rights of whoever queries them. Run studio-inventory audit, and fix what it finds.'

  constructor(objects: readonly string[]) {
    super(
      `the views of the audit were not queried, because these are not as this release installs them: ${objects.join(', ')}`,
    )
  }
}

/**
 * Makes sure that the views of the audit are those of this release before they are asked, and stay so until the end of
 * the transaction.
 *
 * @throws ViewsNotInstalled
 */
export async function requireViews(transaction: Transaction): Promise<void> {
  await holdRules(transaction)
  const { findings } = await compareIn(transaction, {})
  const objects = inTheWay(findings)
  if (objects.length > 0) throw new ViewsNotInstalled(objects)
}
