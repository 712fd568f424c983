import type { Guard } from './guard.ts'
import { authority } from './guards/authority.ts'
import { isolation } from './guards/isolation.ts'
import { sync } from './guards/sync.ts'

/** Every guard that is taken away, one at a time. */
export const guards: readonly Guard[] = [...isolation, ...authority, ...sync]
