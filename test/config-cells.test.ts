import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ConfigError, configOf, readConfig } from '../src/config/config.ts'

const SECRET_KEY = 'k'.repeat(32)
const folder = mkdtempSync(join(tmpdir(), 'studio-inventory-cells-'))
const file = join(folder, 'cells.json')
afterAll(() => rmSync(folder, { recursive: true }))

const eu1 = { name: 'eu1', databaseUrl: 'postgresql://admin:hunter2@one.example/studios' }
const eu2 = { name: 'eu2', databaseUrl: 'postgresql://admin:hunter2@two.example/studios' }

function read(content: unknown, env: Record<string, string> = {}) {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return readConfig({ CELLS_FILE: file, SECRET_KEY, ...env })
}

function refusal(content: unknown, env: Record<string, string> = {}): string {
  try {
    read(content, env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as Error).message).not.toContain('hunter2')
    return (error as Error).message.replace(file, 'FILE')
  }
  throw new Error('was accepted')
}

describe('CELLS_FILE', () => {
  it('names several databases, each with what the variables of one say', () => {
    const replicaDatabaseUrls = ['postgresql://replica.example/studios']
    const apiDatabaseUrl = 'postgresql://studio_api:x@pooler.example/studios'
    const analystDatabaseUrl = 'postgresql://analysts.example/studios'
    const config = read({ cells: [eu1, { ...eu2, apiDatabaseUrl, analystDatabaseUrl, replicaDatabaseUrls }] })

    expect(config.cells.map(({ name }) => name)).toEqual(['eu1', 'eu2'])
    const [, second] = config.cells
    const alone = second && configOf(config, second)
    expect(alone).toMatchObject({
      cells: [second],
      databaseUrl: eu2.databaseUrl,
      roleUrls: { studio_api: apiDatabaseUrl },
      analystUrl: `${analystDatabaseUrl}?sslmode=verify-full`,
      scaling: { replicaUrls: replicaDatabaseUrls },
    })
  })

  it('is not needed: then there is one cell without a name', () => {
    const alone = readConfig({ DATABASE_URL: eu1.databaseUrl, SECRET_KEY })
    expect(alone.cells).toMatchObject([{ name: undefined, databaseUrl: eu1.databaseUrl }])
    expect(readConfig({}).cells).toMatchObject([{ name: undefined, databaseUrl: undefined }])
  })

  it('lets several workers share its cells', () => {
    expect(read({ cells: [eu1, eu2] }, { WORKERS: '2', REDIS_URL: 'redis://localhost' }).scaling.workers).toBe(2)
  })

  it.each([
    ['DATABASE_URL', eu1.databaseUrl, 'databaseUrl'],
    ['API_DATABASE_URL', eu1.databaseUrl, 'apiDatabaseUrl'],
    ['ANALYST_DATABASE_URL', eu1.databaseUrl, 'analystDatabaseUrl'],
    ['AUDITOR_DATABASE_URL', eu1.databaseUrl, 'auditorDatabaseUrl'],
    ['REPLICA_DATABASE_URLS', eu1.databaseUrl, 'replicaDatabaseUrls'],
  ])('is not used beside %s', (name, value, field) => {
    expect(refusal({ cells: [eu1] }, { [name]: value })).toBe(
      `${name}: set beside CELLS_FILE; give ${field} to each cell in the file instead`,
    )
  })

  it('needs SECRET_KEY, which all cells share', () => {
    expect(refusal({ cells: [eu1] }, { SECRET_KEY: '' })).toMatch(/^SECRET_KEY: not set, but needed with CELLS_FILE; /)
  })

  it.each<[string, unknown, string]>([
    ['no JSON', '{ "cells": [ hunter2', 'CELLS_FILE: FILE is not JSON; give { "cells"'],
    ['no cells', {}, 'CELLS_FILE: FILE: cells: give the list of cells'],
    ['an empty list', { cells: [] }, 'CELLS_FILE: FILE: cells: give at least one cell'],
    [
      'a cell without a name',
      { cells: [{ databaseUrl: eu1.databaseUrl }] },
      'CELLS_FILE: FILE: cells[0]: name: not set',
    ],
    [
      'a wrong name',
      { cells: [{ ...eu1, name: 'EU 1' }] },
      'cell "EU 1": name: "EU 1" is not valid; give a name of small letters',
    ],
    [
      'no database',
      { cells: [{ name: 'eu1' }] },
      'CELLS_FILE: FILE: cell "eu1": databaseUrl: not set, but every cell needs it',
    ],
    [
      'a wrong URL',
      { cells: [eu1, { ...eu2, databaseUrl: 'mysql://a:hunter2@b/c' }] },
      'cell "eu2": databaseUrl: "***@b/c" is not valid; give a PostgreSQL URL',
    ],
    [
      'a wrong replica',
      { cells: [{ ...eu1, replicaDatabaseUrls: ['x'] }] },
      'cell "eu1": replicaDatabaseUrls[0]: "x" is not valid; give a PostgreSQL URL',
    ],
    [
      'replicas as one text',
      { cells: [{ ...eu1, replicaDatabaseUrls: 'x' }] },
      'cell "eu1": replicaDatabaseUrls: "x" is not valid; give a list of PostgreSQL URLs',
    ],
    [
      'an unknown field',
      { cells: [{ ...eu1, databaseURL: 'x' }] },
      'cell "eu1": databaseURL is not known; a cell has name, databaseUrl,',
    ],
    [
      'two of one name',
      { cells: [eu1, { ...eu2, name: 'eu1' }] },
      'CELLS_FILE: FILE: two cells are named eu1; give each its own name',
    ],
    [
      'two in one database',
      { cells: [eu1, { ...eu1, name: 'eu2' }] },
      'cell "eu2": databaseUrl: it is the database of cell "eu1", studios at one.example:5432; give each cell a database',
    ],
    [
      'one pooled database for two',
      {
        cells: [
          { ...eu1, apiDatabaseUrl: 'postgresql://p/x' },
          { ...eu2, apiDatabaseUrl: 'postgresql://P:5432/x' },
        ],
      },
      'cell "eu2": apiDatabaseUrl: it is the database of cell "eu1"',
    ],
  ])('is refused with %s', (_, content, message) => {
    expect(refusal(content)).toContain(message)
  })

  it('is refused when it cannot be read', () => {
    const missing = join(folder, 'missing.json')
    expect(() => readConfig({ CELLS_FILE: missing, SECRET_KEY })).toThrow(
      `CELLS_FILE: ${missing} cannot be read: ENOENT`,
    )
  })
})
