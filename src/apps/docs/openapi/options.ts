import type { Config } from '../../../config/config.ts'

/** Where a service and its reference are. */
export type Addresses = Pick<Config, 'publicUrl' | 'docsUrl'>

/** What the description says of one service that differs from another. */
export type DescriptionOptions = Addresses & Pick<Config, 'rateLimits'>
