import type { Config } from '../../../config/config.ts'
import type { Places } from '../../places.ts'

/** What the page says of one service that differs from another. */
export type ReferenceOptions = Pick<Config, 'publicUrl' | 'docsUrl' | 'rateLimits'> & {
  places: Places
  /** The shell command that starts the command line, where it is another than `npx studio-inventory`. */
  command?: string | undefined
}
