import type { Dataset } from './dataset.ts'
import type { Wording } from './questions.ts'
import type { Scratch } from './scratch.ts'

/** Software of others that makes an API of the same tables. */
export type Peer = {
  name: string
  origin: string
  wording: Wording
  /** Keys of rows that it has no words for. */
  cannot: string[]
}

/** Installs the peers in the scratch folder and starts them. */
export async function startPeers(_scratch: Scratch, _dataset: Dataset, _closers: (() => unknown)[]): Promise<Peer[]> {
  return []
}
