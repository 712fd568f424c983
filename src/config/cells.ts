import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { messageOf } from '../domain/error.ts'
import { invalidField, requireDifferent } from './cells-refused.ts'
import { ConfigError } from './error.ts'
import { postgresUrl, text, verifiedByDefault } from './values.ts'

/** How a database is reached. */
export type DatabaseUrls = {
  /** The administrator's connection string; undefined means the embedded server. */
  databaseUrl: string | undefined
  /** Connection strings that replace the derived one of a role. */
  roleUrls: Partial<
    Record<'studio_api' | 'studio_recorder' | 'studio_writer' | 'studio_console' | 'studio_graphql', string>
  >
  /** Where analysts reach the database, with TLS and without a login; undefined: where the administrator does. */
  analystUrl: string | undefined
}

/** One installation of PostgreSQL, with some of the studios or all. */
export type Cell = DatabaseUrls & {
  /** As in CELLS_FILE; undefined: the only cell, of DATABASE_URL or the embedded server. */
  name: string | undefined
  /** The connection string of a member of studio_auditor; undefined: the administrator's, acting as that role. */
  auditorUrl: string | undefined
  /** Connection strings whose host, port, database and TLS are taken. */
  replicaUrls: string[]
}

/** The fields of a cell by the variables whose meaning they have. */
export const cellFields = {
  DATABASE_URL: 'databaseUrl',
  API_DATABASE_URL: 'apiDatabaseUrl',
  RECORDER_DATABASE_URL: 'recorderDatabaseUrl',
  WRITER_DATABASE_URL: 'writerDatabaseUrl',
  CONSOLE_DATABASE_URL: 'consoleDatabaseUrl',
  GRAPHQL_DATABASE_URL: 'graphqlDatabaseUrl',
  ANALYST_DATABASE_URL: 'analystDatabaseUrl',
  AUDITOR_DATABASE_URL: 'auditorDatabaseUrl',
  REPLICA_DATABASE_URLS: 'replicaDatabaseUrls',
} as const

/** Those that name the database of a cell, and so no other's. */
const databaseFields = Object.values(cellFields).filter(
  (field) => field !== 'analystDatabaseUrl' && field !== 'replicaDatabaseUrls',
)

export const cellsVariables = {
  CELLS_FILE: text((value) => !value.includes('\0'), 'give the path of a JSON file')
    .transform((value) => resolve(value))
    .optional(),
}

const cellSchema = z.strictObject({
  name: z
    .string('give the name of the cell, for example "eu1"')
    .regex(
      /^[a-z][a-z0-9-]{0,39}$/,
      'give a name of small letters, digits and hyphens that begins with a letter, for example eu1',
    ),
  databaseUrl: postgresUrl(),
  apiDatabaseUrl: postgresUrl('primary').optional(),
  recorderDatabaseUrl: postgresUrl().optional(),
  writerDatabaseUrl: postgresUrl().optional(),
  consoleDatabaseUrl: postgresUrl().optional(),
  graphqlDatabaseUrl: postgresUrl('primary').optional(),
  analystDatabaseUrl: postgresUrl().transform(verifiedByDefault).optional(),
  auditorDatabaseUrl: postgresUrl('primary').optional(),
  replicaDatabaseUrls: z.array(postgresUrl('any'), 'give a list of PostgreSQL URLs').default([]),
})

const fileSchema = z.strictObject({
  cells: z.array(cellSchema, 'give the list of cells').min(1, 'give at least one cell'),
})

type Given = z.infer<typeof cellSchema>

/**
 * Reads CELLS_FILE.
 *
 * @returns its cells, in their order
 * @throws ConfigError that names the file, the cell and the field, and repeats no password
 */
export function readCells(file: string): [Cell, ...Cell[]] {
  const content = contentOf(file)
  const parsed = fileSchema.safeParse(content)
  if (!parsed.success) throw invalidField(file, content, parsed.error.issues[0], ['name', ...Object.values(cellFields)])
  const { cells } = parsed.data
  requireDifferent(file, cells, databaseFields)
  const [first, ...others] = cells.map(cellOf)
  if (first === undefined) throw new ConfigError(`CELLS_FILE: ${file}: give at least one cell`)
  return [first, ...others]
}

/** @throws ConfigError when a variable of one database is set beside CELLS_FILE */
export function requireCellsAlone(set: Readonly<Record<string, unknown>>): void {
  if (set.CELLS_FILE === undefined) return
  for (const [name, field] of Object.entries(cellFields)) {
    if (set[name] !== undefined) {
      throw new ConfigError(`${name}: set beside CELLS_FILE; give ${field} to each cell in the file instead`)
    }
  }
}

/** What of the configuration depends on the cell, besides how its database is reached. */
type OfCell = { audit: { url: string | undefined }; scaling: { replicaUrls: string[] } }

type OneCell = DatabaseUrls & { cells: readonly [Cell, ...Cell[]] }

/** The configuration for one of the cells, in which it is the only one. */
export function configOf<Config extends OfCell>(config: Config, cell: Cell): Config & OneCell {
  const { databaseUrl, roleUrls, analystUrl, auditorUrl, replicaUrls } = cell
  return {
    ...config,
    cells: [cell],
    databaseUrl,
    roleUrls,
    analystUrl,
    audit: { ...config.audit, url: auditorUrl },
    scaling: { ...config.scaling, replicaUrls },
  }
}

function contentOf(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`CELLS_FILE: ${file} cannot be read: ${messageOf(error)}`)
  }
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message quotes the text, which may be a password.
    throw new ConfigError(`CELLS_FILE: ${file} is not JSON; give { "cells": [ { "name": "eu1", "databaseUrl": … } ] }`)
  }
}

function cellOf(given: Given): Cell {
  return {
    name: given.name,
    databaseUrl: given.databaseUrl,
    roleUrls: {
      ...(given.apiDatabaseUrl && { studio_api: given.apiDatabaseUrl }),
      ...(given.recorderDatabaseUrl && { studio_recorder: given.recorderDatabaseUrl }),
      ...(given.writerDatabaseUrl && { studio_writer: given.writerDatabaseUrl }),
      ...(given.consoleDatabaseUrl && { studio_console: given.consoleDatabaseUrl }),
      ...(given.graphqlDatabaseUrl && { studio_graphql: given.graphqlDatabaseUrl }),
    },
    analystUrl: given.analystDatabaseUrl,
    auditorUrl: given.auditorDatabaseUrl,
    replicaUrls: given.replicaDatabaseUrls,
  }
}
