import type { Config } from '../../config/config.ts'

/** Where a service and its reference are. */
export type Addresses = Pick<Config, 'publicUrl' | 'docsUrl'>

/** What the description says of one service that differs from another. */
export type DescriptionOptions = Addresses & Pick<Config, 'rateLimits'>

/** Where the demo answered the requests of the examples; a copy of the description shows its own address instead. */
export const exampleAddresses: Addresses = {
  publicUrl: 'https://api.studio-inventory.example',
  docsUrl: 'https://api.studio-inventory.example/docs',
}
