import { defineConfig } from 'vitest/config'

/** The tests that need a Redis or Valkey, named by TEST_REDIS_URL. They are not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/redis/**/*.test.ts'],
    testTimeout: 30_000,
  },
})
