import { infrastructure } from './infrastructure.ts'
import { instruments } from './instruments.ts'
import type { Shelf } from './model.ts'
import { signalChain } from './signal-chain.ts'

/** Every category of the vocabulary with models that belong in it, in the order of the vocabulary. */
export const catalogue: readonly Shelf[] = [...signalChain, ...instruments, ...infrastructure]
