import { defineConfig } from 'vitest/config'

/**
 * The tests that need a container engine, with the base images it cannot pull made by `base-images`, and compose. Not
 * part of `npm test`; `.ci/with-engine npm run test:container` starts an engine for them.
 */
export default defineConfig({
  test: {
    include: ['test/container/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 900_000,
  },
})
