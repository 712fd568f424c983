import { guardsOf, inFile } from '../guard.ts'

/** These guards keep a studio from taking what the others need. */
export const neighbours = guardsOf({
  'rest/shares': {
    'let a studio have every connection': inFile('src/database/pool.ts', 'Math.max(1, Math.floor(size / 2))', 'size'),
    'let a studio have the whole line': inFile('src/database/pool.ts', 'Math.ceil(maxWaiting / 2)', 'maxWaiting'),
    'let a studio wait for itself for ever': 'src/database/pool.ts: > waitMs → > Number.POSITIVE_INFINITY',
    'authenticate behind data': inFile(
      'src/api/read.ts',
      'createAuthentication(pools.authentication)',
      'createAuthentication(pools.api)',
    ),
    'compute all items where lists are read': 'src/api/read.ts: ofAllItems ? allItems : api → api',
  },
  'graphql/shares': {
    'let a studio take every connection of GraphQL': inFile(
      'src/graphql/execute.ts',
      'running: half(connections)',
      'running: connections',
    ),
    'let a person take the turns of colleagues': inFile(
      'src/graphql/execute.ts',
      'running: half(half(connections))',
      'running: half(connections)',
    ),
    'let a studio send one long plan after another': 'src/graphql/execute.ts: planMs > longPlanMs → planMs > 1e9',
  },
  'graphql/limits': {
    'compare texts with a pattern of any length': inFile(
      'src/graphql/schema.ts',
      'input.length > limits.pattern',
      'input.length > 1e9',
    ),
  },
  'console/shares': {
    'let a studio read its pages by every connection': inFile(
      'src/console/studio/member-session.ts',
      'pool.inShare(studioId, () => pool.instrumented',
      '((_: string, work: () => Promise<Result>) => work())(studioId, () => pool.instrumented',
    ),
  },
  'console/photo-line': {
    'make several photos at a time': 'src/console/studio/photo-line.ts: const all = pLimit(1) → const all = pLimit(2)',
    'let the photos of a studio wait without end': 'src/console/studio/photo-line.ts: >= longest → > 1e9',
    'make the photos of a studio before all others':
      'src/console/studio/photo-line.ts: line(() => all(make)) → all(make)',
  },
  'report/thumbnails': {
    'decode several photos at a time': 'src/report/thumbnails.ts: pLimit(1) → pLimit(2)',
    'decode a photo that takes any memory': 'src/report/thumbnails.ts: > limits.memory → > 1e12',
    'decode a photo of any size': 'src/report/thumbnails.ts: > limits.pixels → > 1e12',
  },
  'console/import-reading': {
    'keep all archives of a studio': inFile(
      'src/console/import/handlers.ts',
      'if (archive) await imports?.archives.removeOthers(studio.id, archive.id)',
      '',
    ),
  },
  'console/import-turns': {
    'keep small files waiting for large ones': 'src/console/import/imports.ts: other.isSmall === isSmall → true',
    'import a CSV file of any number of rows': 'src/importer/csv/source.ts: maxRows !== undefined → false',
    'import a workbook of any number of rows': 'src/importer/xlsx/source.ts: maxRows !== undefined → false',
  },
  'processes/console-report': {
    'make all reports of a studio at once': 'src/child-process/start-child.ts: running.has(studioId) → false',
    'make the reports of all studios at once':
      'src/child-process/start-child.ts: running.size >= maxConcurrency → false',
  },
  'processes/child-process': {
    'make reports before requests are answered': inFile(
      'src/child-process/start-child.ts',
      'if (child.pid !== undefined) setPriority',
      'if (false) setPriority',
    ),
  },
  'reference/page': {
    'render the page for each request': inFile('src/docs/routes.ts', 'rendered.get(name) ??', ''),
  },
  'importer/items': {
    'leave a long text to the database': 'src/importer/rules.ts:     ...longTexts(kind, layout),\n →',
  },
  'http/timeouts': {
    'answer the requests of a connection all at once':
      'src/http/server.ts: if (line.push(response) === 1) → if (line.push(response))',
  },
  'database/orphans': {
    'open a connection for one that still works': 'src/database/orphans.ts: driver.options.max -= 1 →',
  },
})
