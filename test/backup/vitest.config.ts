import { defineConfig } from 'vitest/config'

/** Backup and restore as docs/operating.md says, with the programs in TEST_POSTGRES_BIN. Not part of `npm test`. */
export default defineConfig({
  test: { include: ['test/backup/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
})
