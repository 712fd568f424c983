import { defineConfig } from 'vitest/config'

/** What measures the pages for docs/performance.md (`npm run bench:pages`), in Chromium. */
export default defineConfig({
  test: { include: ['test/browser/*.measure.ts'], hookTimeout: 60_000 },
})
