import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { beforeAll, expect } from 'vitest'
import { unescapeFormula } from '../../src/domain/text.ts'
import type { ImportJob } from '../../src/importer/import-job.ts'
import { kinds } from '../../src/importer/kinds/index.ts'
import { type RowError, sentence } from '../../src/importer/row-errors.ts'
import { runImport, type Outcome as Told } from '../../src/importer/run-import.ts'
import { type Columns, type Sql, type Studio, useSql } from '../sql/support.ts'
import { useFolder } from '../support/folder.ts'

export type KindName = ImportJob['kind'] extends infer Kind ? (Kind extends { name: infer Name } ? Name : Kind) : never

type Options = Partial<Omit<ImportJob, 'kind' | 'path' | 'studioId' | 'writerUrl'>>

/** What an import tells, and every error of its report. */
export type Outcome = Told & { report: RowError[] }

export type Importer = Sql & {
  folder: string
  photosDir: string
  /** Writes a text or bytes to a file and imports it. */
  into(studio: Studio, kind: KindName, content: string | Buffer, options?: Options): Promise<Outcome>
  /** Imports a file or folder that is there. */
  path(studio: Studio, kind: KindName, path: string, options?: Options): Promise<Outcome>
  /** As `into`: everything that is wrong with it, line by line, as people read it. */
  wrong(studio: Studio, kind: KindName, content: string | Buffer, options?: Options): Promise<string[]>
  /** The rows of a table of one studio, by external key. */
  rows<Row extends object = Columns>(studio: Studio, table: string, columns: string): Promise<Row[]>
}

/** Gives the test file a database, and imports into it. To be called at the top of the file. */
export function useImporter(): Importer {
  const importer = useSql() as Importer
  const folder = useFolder()
  let files = 0
  beforeAll(() => {
    importer.folder = folder.path
    importer.photosDir = join(importer.folder, 'kept')
    importer.path = async (studio, kind, path, options) => {
      const reportFile = options?.reportFile ?? join(importer.folder, 'report.csv')
      const told = await runImport({
        kind: kind === 'photos' ? kind : kindNamed(kind),
        path,
        studioId: studio.id,
        writerUrl: importer.database.urlFor('studio_writer'),
        photosDir: importer.photosDir,
        ...options,
        reportFile,
      })
      return { ...told, report: await readReport(reportFile) }
    }
    importer.into = async (studio, kind, content, options) => {
      files += 1
      return importer.path(studio, kind, await folder.file(`${files}.csv`, content), options)
    }
    importer.wrong = async (...given) => sentences(await importer.into(...given))
    importer.rows = (studio, table, columns) =>
      importer.admin.rows(
        `select ${columns} from app.${table} where studio_id = $1 order by ${table === 'market_values' ? 'item_id' : 'external_key'}`,
        [studio.id],
      )
  })
  return importer
}

/** Gives the test file a studio to import workbooks into. Call it at the top of the file. */
export function useWorkbooks() {
  const importer = useImporter()
  let studio: Studio
  beforeAll(async () => {
    studio = await importer.studio()
  })
  const path = () => join(importer.folder, 'gear.xlsx')
  const load = async (bytes: Buffer, options: Options = {}) => {
    await writeFile(path(), bytes)
    return importer.path(studio, 'items', path(), options)
  }
  return {
    importer,
    path,
    studio: () => studio,
    load,
    /** Everything that is wrong with a workbook. */
    wrong: async (...given: Parameters<typeof load>) => sentences(await load(...given)),
    /** What became of the rows whose keys begin so. */
    async rowsOf(prefix: string, columns: string): Promise<Columns[]> {
      const rows = await importer.rows<{ external_key: string }>(studio, 'items', `external_key, ${columns}`)
      return rows.filter(({ external_key }) => external_key.startsWith(prefix))
    },
  }
}

async function readReport(path: string): Promise<RowError[]> {
  const rows: Record<keyof RowError, string>[] = parse(await readFile(path), { columns: true })
  const orNull = (text: string) => (text === '' ? null : unescapeFormula(text))
  return rows.map(({ line, column, value, problem, remedy }) => ({
    line: line === '' ? null : Number(line),
    column: orNull(column),
    value: orNull(value),
    problem,
    remedy: orNull(remedy),
  }))
}

export function kindNamed(name: string) {
  const kind = kinds.find((other) => other.name === name)
  if (kind === undefined) throw new Error(`no kind ${name}`)
  return kind
}

/** Everything that is wrong with a file, line by line, as people read it. */
export const sentences = (outcome: Outcome): string[] => outcome.report.map(sentence)

/** Numbers of an import, and nothing wrong. */
export function expectDone(outcome: Outcome, numbers: Partial<Omit<Told, 'errors'>>): void {
  expect(sentences(outcome)).toEqual([])
  expect(outcome).toMatchObject(numbers)
}
