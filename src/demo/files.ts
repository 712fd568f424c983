import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { withClient } from '../database/client.ts'
import type { ImportJob } from '../importer/import-job.ts'
import { kinds } from '../importer/kinds/index.ts'
import { runImport } from '../importer/run-import.ts'

const dayMs = 86_400_000

/** The day (UTC, YYYY-MM-DD) that is this many days after a moment. */
export const dateAfter = (now: Date, days: number): string =>
  new Date(now.getTime() + days * dayMs).toISOString().slice(0, 10)

/** Imports the files and photos of a demo studio, on one connection: the first statements of each
 * take long. `today-400` is 400 days before `now`. */
export async function importStudio(
  folder: string,
  studio: Pick<ImportJob, 'studioId' | 'writerUrl' | 'photosDir'>,
  now: Date,
): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'studio-inventory-demo-'))
  try {
    await withClient(studio.writerUrl, (client) => importFiles(folder, scratch, { ...studio, client }, now))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function importFiles(
  folder: string,
  scratch: string,
  job: Omit<ImportJob, 'kind' | 'path'>,
  now: Date,
): Promise<void> {
  const given = join(import.meta.dirname, folder)
  const names = await readdir(given)
  for (const kind of kinds) {
    if (!names.includes(`${kind.name}.csv`)) continue
    const text = await readFile(join(given, `${kind.name}.csv`), 'utf8')
    const path = join(scratch, `${kind.name}.csv`)
    await writeFile(
      path,
      text.replaceAll(/today([+-]\d+)?/g, (_, days) => dateAfter(now, Number(days ?? 0))),
    )
    await importOne({ ...job, kind, path, idsFrom: folder })
  }
  const pictures = join(scratch, 'photos')
  await mkdir(pictures)
  await linkPictures(await readFile(join(scratch, 'items.csv'), 'utf8'), pictures)
  await importOne({ ...job, kind: 'photos', path: pictures })
}

async function importOne(job: ImportJob): Promise<void> {
  const { errors } = await runImport(job)
  const [cause] = errors.causes
  if (cause) throw new Error(`the demo's ${job.path}, line ${cause.lines[0]}: ${cause.column} ${cause.problem}`)
}

/** Gives every sixth item up to three photos: one of its category, one of a detail, one of its
 * plate. */
async function linkPictures(items: string, folder: string): Promise<void> {
  const rows: { external_key: string; category: string }[] = parse(items, { columns: true })
  for (const [index, { external_key: key, category }] of rows.entries()) {
    if (index % 6 > 0) continue
    const subject = category.toLowerCase().replace(/[^a-z]+/g, '-')
    for (const [place, name] of [subject, `${subject}-detail`, 'back'].slice(0, 1 + ((index / 6) % 3)).entries()) {
      const picture = join(import.meta.dirname, 'photos', `${name}.png`)
      await symlink(picture, join(folder, `${key}${place === 0 ? '' : `-${place + 1}`}.png`))
    }
  }
}
