import { defineConfig } from 'vitest/config'

/** What takes a picture of every page in every appearance, to be looked at (`npm run pictures`). */
export default defineConfig({
  test: { include: ['test/browser/*.pictures.ts'], testTimeout: 300_000, hookTimeout: 60_000 },
})
