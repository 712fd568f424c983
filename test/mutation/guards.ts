import type { Guard } from './guard.ts'
import { authority } from './guards/authority.ts'
import { console } from './guards/console.ts'
import { isolation } from './guards/isolation.ts'
import { reach } from './guards/reach.ts'
import { removals } from './guards/removals.ts'
import { sync } from './guards/sync.ts'

/** Every guard that is taken away, one at a time. */
export const guards: readonly Guard[] = [...isolation, ...reach, ...authority, ...console, ...sync, ...removals]
