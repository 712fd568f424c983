import { test } from 'vitest'
import { useWorld } from '../support/world.ts'
import { expectExact, timeoutMs } from './exact.ts'

const world = useWorld()

test(
  'whatever is written meanwhile, clients hold exactly the data of the studio, and remove nothing that lives',
  () => expectExact('on the primary', world, { services: [{}, { cacheMaxBytes: 0 }] }),
  timeoutMs,
)
