import type { Guard } from './guard.ts'
import { authority } from './guards/authority.ts'
import { isolation } from './guards/isolation.ts'
import { neighbours } from './guards/neighbours.ts'
import { sync } from './guards/sync.ts'

/** The mutation tests take these guards away, one at a time. */
export const guards: readonly Guard[] = [...isolation, ...authority, ...sync, ...neighbours]
