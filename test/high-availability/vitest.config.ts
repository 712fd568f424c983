import { defineConfig } from 'vitest/config'

/** The cluster of docs/high-availability.md: needs Debian's patroni, etcd-server, haproxy, pgbouncer, postgresql-15, redis-server and iproute2. */
export default defineConfig({
  test: {
    include: ['test/high-availability/**/*.test.ts'],
    maxWorkers: 1,
    // A failover alone takes 20 s, and each part has to be well again after it.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    sequence: { concurrent: false },
    bail: 1,
  },
})
