import { basementTapes } from './basement-tapes.ts'
import { hollowOak } from './hollow-oak.ts'
import { kanal9 } from './kanal9.ts'
import { northlight } from './northlight.ts'
import type { StudioProfile } from './profile.ts'

/** The demo studios. The first is the one whose token is printed. */
export const demoStudios: readonly [StudioProfile, ...StudioProfile[]] = [northlight, basementTapes, kanal9, hollowOak]
