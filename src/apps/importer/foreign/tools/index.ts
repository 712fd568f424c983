import type { Tool } from '../mapping.ts'
import { cheqroom } from './cheqroom.ts'
import { homebox } from './homebox.ts'
import { rentman } from './rentman.ts'
import { snipeIt } from './snipe-it.ts'
import { sortly } from './sortly.ts'

/** The tools whose exports are known, by what --from calls them. */
export const tools: Readonly<Record<string, Tool>> = { 'snipe-it': snipeIt, homebox, sortly, cheqroom, rentman }
