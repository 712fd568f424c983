import { configDefaults, defineConfig } from 'vitest/config'

type Project = {
  include?: string[]
  globalSetup?: string[]
  maxWorkers?: number
  testTimeout?: number
  isolate?: false
  expect?: { poll: { timeout: number } }
}

/** One PostgreSQL for the run: TEST_DATABASE_URL, TEST_POSTGRES_BIN, a container, or the embedded one. */
const server = 'test/support/global-setup.ts'

/** Tests with a server, program or time of their own: `npx vitest run --project NAME`. See
 * CONTRIBUTING.md. */
const projects: Record<string, Project> = {
  // They start commands as processes, and make logins of the server.
  administration: {
    include: [
      'test/{analysts,demo}/**/*.test.ts',
      'test/audit/{asking,documents,rules}.test.ts',
      'test/cli/!(audit-*).test.ts',
    ],
    globalSetup: [server],
    maxWorkers: 4,
    isolate: false,
  },
  // They inspect every role and database of the server, or wait for every open transaction of it.
  audit: {
    include: [
      'test/audit/{comparison,sound}.test.ts',
      'test/cli/audit-findings.test.ts',
      'test/isolation/conditions.test.ts',
    ],
    globalSetup: [server],
    maxWorkers: 1,
    testTimeout: 90_000,
  },
  proof: {
    include: ['test/audit-prove/**/*.test.ts', 'test/cli/audit-prove.test.ts'],
    globalSetup: [server],
    maxWorkers: 1,
    testTimeout: 90_000,
  },
  sync: {
    include: ['test/sync/{exact,midnight,programs,races}.test.ts', 'test/sql/access/watermark.test.ts'],
    globalSetup: [server],
    maxWorkers: 1,
  },
  // It follows CONTRIBUTING in a copy of the checkout, whose tests it runs.
  recipe: { globalSetup: [server], testTimeout: 180_000 },
  processes: {
    include: ['test/processes/**/*.test.ts', 'test/upgrade/from-release.test.ts'],
    globalSetup: [server],
    maxWorkers: 2,
    testTimeout: 60_000,
  },
  plans: { globalSetup: [server], maxWorkers: 2, testTimeout: 60_000 },
  pooler: {
    include: ['test/pooler/**/*.test.ts', 'test/sync/pooler.test.ts'],
    globalSetup: ['test/pooler/global-setup.ts'],
    maxWorkers: 1,
  },
  replica: {
    include: ['test/replica/**/*.test.ts', 'test/sync/replica.test.ts'],
    globalSetup: ['test/replica/global-setup.ts'],
    maxWorkers: 1,
  },
  redis: {},
  backup: { testTimeout: 300_000 },
  // Chromium paints late where a machine has other work.
  browser: { maxWorkers: 2, testTimeout: 90_000, expect: { poll: { timeout: 20_000 } } },
  container: { maxWorkers: 1, testTimeout: 120_000 },
  contract: { globalSetup: [server], maxWorkers: 2, testTimeout: 60_000 },
  integrations: { globalSetup: [server], isolate: false, maxWorkers: 2, testTimeout: 300_000 },
  faults: { globalSetup: [server], maxWorkers: 1, testTimeout: 90_000 },
  // A studio attacks while another works: see docs/performance.md.
  neighbours: { globalSetup: [server], maxWorkers: 1, testTimeout: 120_000 },
  scaling: { globalSetup: ['test/scaling/global-setup.ts'], maxWorkers: 1, testTimeout: 60_000 },
  'high-availability': { maxWorkers: 1, testTimeout: 300_000 },
  screenshots: { include: ['test/browser/*.screenshots.ts'], maxWorkers: 1, testTimeout: 300_000 },
}
const filesOf = ([name, { include }]: [string, Project]) => include ?? [`test/${name}/**/*.test.ts`]

/** What a contributor learns nearly everything from, on one server: `npm test`. */
const usual: Project & { exclude: string[] } = {
  include: ['test/**/*.test.ts'],
  exclude: Object.entries(projects).flatMap(filesOf),
  globalSetup: [server],
  // A worker's files share their imports. Workers often wait for PostgreSQL, hence one more than two
  // cores; a fourth costs more to warm up than it gives.
  isolate: false,
  maxWorkers: 3,
}

const all = Object.entries({ default: usual, ...projects }).map(([name, options], groupOrder) => {
  const { exclude = [], ...rest } = options as typeof usual
  return {
    extends: true as const,
    test: {
      name,
      testTimeout: 30_000,
      ...rest,
      include: filesOf([name, options]),
      exclude: [...configDefaults.exclude, ...exclude],
      hookTimeout: Math.max(300_000, rest.testTimeout ?? 0),
      // Projects run one after the other.
      sequence: { groupOrder },
    },
  }
})

export default defineConfig({ test: { projects: all } })
