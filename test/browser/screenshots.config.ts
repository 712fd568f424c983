import { defineConfig } from 'vitest/config'

/** What makes the pictures of README.md (`npm run screenshots`): Chromium before the embedded demo. */
export default defineConfig({
  test: { include: ['test/browser/*.screenshots.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
})
