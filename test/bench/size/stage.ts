import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Loaded, load, type Wanted } from './load.ts'
import { makeFolderAt, migrated, openServer, type Server } from './server.ts'

/** Loads the database of a folder, unless an earlier run did, and tells how that went. */
export async function loaded(
  home: string,
  wanted: Wanted,
  makeDatabase: (url: string) => Promise<unknown>,
  say: (text: string) => void,
): Promise<Loaded> {
  await makeFolderAt(home)
  const file = join(home, 'loaded.json')
  const before = await readFile(file, 'utf8').catch(() => undefined)
  if (before !== undefined) return JSON.parse(before) as Loaded
  const server = await openServer(home, 'loading', makeDatabase)
  try {
    const found = await load(server.adminUrl, wanted, home, say)
    await writeFile(file, JSON.stringify(found))
    return found
  } finally {
    await server.close()
  }
}

/** Serves the databases of folders while something works with them. */
export async function serving<Result>(homes: string[], work: (servers: Server[]) => Promise<Result>): Promise<Result> {
  const servers: Server[] = []
  try {
    for (const home of homes) {
      await makeFolderAt(home)
      const isLoaded = await readFile(join(home, 'loaded.json')).catch(() => undefined)
      servers.push(await openServer(home, 'serving', isLoaded ? async () => undefined : migrated))
    }
    return await work(servers)
  } finally {
    for (const server of servers) await server.close()
  }
}
