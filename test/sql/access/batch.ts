import type { Sql } from '../support.ts'

/** What access.authenticate_batch() says of tokens, in the form of access.open_session(); `tokens` is empty when nothing has changed. */
export type Batch = { state: string | null; isUnchanged: boolean; tokens: object[] }

/** Authenticates tokens in one statement, as the API's login. */
export async function authenticateBatch(
  { api }: Pick<Sql, 'api'>,
  asked: [digest: Buffer, address: string | null][],
  state: string | null = null,
): Promise<Batch> {
  const said = await api.value<string | null>('select access.authenticate_batch($1, $2::inet[], $3)', [
    Buffer.concat(asked.map(([digest]) => digest)),
    asked.map(([, address]) => address),
    state,
  ])
  if (said === null) return { state, isUnchanged: true, tokens: [] }
  const { watermark, ...rest } = JSON.parse(said)
  const tokens = rest.tokens.map(([status, token_id, studio_id, plan_tier, version]: (string | number | null)[]) => ({
    ...{ status, token_id, studio_id, plan_tier, version, watermark: status === 401 ? null : watermark },
    ...{ data: null, photo_keys: null },
  }))
  return { state: rest.state, isUnchanged: false, tokens }
}
