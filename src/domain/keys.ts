import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

/** SECRET_KEY, then the keys that the service accepts beside it while an operator rotates it. */
export type SecretKeys = string | readonly [string, ...string[]]

/** The keys of one purpose: the first signs, and all verify. */
export type PurposeKeys = readonly [KeyObject, ...KeyObject[]]

/** Derives a key of 256 bits from each secret key, for one purpose. */
export function keysFor(secretKeys: SecretKeys, purpose: string): PurposeKeys {
  const derive = (secretKey: string) => createSecretKey(createHmac('sha256', secretKey).update(purpose).digest())
  const [first, ...others] = typeof secretKeys === 'string' ? [secretKeys] : secretKeys
  return [derive(first), ...others.map(derive)]
}

/** What `verify` returns with the first key with which it does not throw; null if it throws with each. */
export async function withAnyKey<Result>(
  keys: PurposeKeys,
  verify: (key: KeyObject) => Promise<Result>,
): Promise<Result | null> {
  for (const key of keys) {
    try {
      return await verify(key)
    } catch {}
  }
  return null
}
