import { dropLogin, loginsOf } from '../analysts/logins.ts'
import { asOwner, enterStudio, type Transaction } from '../database/session.ts'

type About = {
  id: string
  name: string
  items: number
  members: number
  tokens: number
  /** Whether an interrupted removal has begun. */
  begun: boolean
}

/** Reads what is removed with a studio. */
export async function aboutRemoval(transaction: Transaction, studioId: string): Promise<About> {
  await enterStudio(transaction, studioId)
  const [row] = await transaction.query<About>(
    `select s.id, s.name, s.removed_at is not null as begun,
       (select count(*)::int from app.items i where i.studio_id = s.id) as items,
       (select count(*)::int from access.members m where m.studio_id = s.id) as members,
       (select count(*)::int from access.tokens t where t.studio_id = s.id) as tokens
     from app.studios s where s.id = $1`,
    [studioId],
  )
  if (row === undefined) throw new Error('the studio is gone')
  return row
}

/** Ends all access to a studio in the name of the owner `by` (null: already done), then drops
 * its analysts' logins.
 * @returns the logins that could not be dropped, and why
 * @throws StatementFailed 42501 when `by` is not an owner */
export async function beginRemoval(
  adminUrl: string,
  studioId: string,
  by: string | null,
): Promise<{ login: string; keptBecause: string }[]> {
  if (by !== null) {
    await asOwner(adminUrl, (transaction) => transaction.query('select access.begin_removal($1, $2)', [studioId, by]))
  }
  const kept: { login: string; keptBecause: string }[] = []
  for (const login of await loginsOf(adminUrl, studioId)) {
    const { keptBecause } = await dropLogin(adminUrl, login)
    if (keptBecause !== null) kept.push({ login, keptBecause })
  }
  return kept
}

export async function photoKeysOf(adminUrl: string, studioId: string): Promise<string[]> {
  const photos = await asOwner(adminUrl, async (transaction) => {
    await enterStudio(transaction, studioId)
    return transaction.query<{ key: string }>(
      'select storage_key as key from app.item_photos where studio_id = $1 order by storage_key',
      [studioId],
    )
  })
  return photos.map(({ key }) => key)
}

/** Rows per transaction: it takes about a second, and blocks nobody. */
const batchSize = 2_000

/** Removes all rows of a studio whose removal has begun, in several transactions.
 * @param progress gets the number of rows removed so far after each transaction
 * @returns the number of rows removed */
export async function removeRows(
  adminUrl: string,
  studioId: string,
  progress: (rows: number) => void,
): Promise<number> {
  let [total, before] = [0, -1]
  while (total !== before) {
    before = total
    const [row] = await asOwner(adminUrl, (transaction) =>
      transaction.query<{ rows: number }>('select access.remove_rows($1, $2)::int as rows', [studioId, batchSize]),
    )
    total += row?.rows ?? 0
    if ((row?.rows ?? 0) >= batchSize) progress(total)
  }
  return total
}
