import type { Adapter, AdapterPayload } from 'oidc-provider'

type Kept = { payload: AdapterPayload; until: number }

/** Where one identity provider keeps sessions, codes and the like: in memory. */
export function createStore(): (model: string) => Adapter {
  const kept = new Map<string, Kept>()
  const find = (key: string) => {
    const found = kept.get(key)
    return found !== undefined && found.until > Date.now() ? found.payload : undefined
  }
  return (model) => {
    const keyOf = (id: string) => `${model}:${id}`
    return {
      async upsert(id, payload, expiresIn) {
        kept.set(keyOf(id), { payload, until: Date.now() + (expiresIn ?? 3600) * 1000 })
      },
      find: async (id) => find(keyOf(id)),
      async findByUid(uid) {
        return [...kept.values()].map(({ payload }) => payload).find((payload) => payload.uid === uid)
      },
      findByUserCode: async () => undefined,
      async consume(id) {
        const payload = find(keyOf(id))
        if (payload) payload.consumed = Math.floor(Date.now() / 1000)
      },
      async destroy(id) {
        kept.delete(keyOf(id))
      },
      async revokeByGrantId(grantId) {
        for (const [key, { payload }] of kept) if (payload.grantId === grantId) kept.delete(key)
      },
    }
  }
}
