import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ToolFailure } from './failures.ts'

type Shown = StandardSchemaWithJSON<Record<string, unknown>>

/**
 * A schema as the server's library takes it. The JSON Schema is made once in the life of the process, and without the long patterns
 * of formats that have a name. Nothing is validated by it: arguments are read by `argumentsOf`, whose errors say what to do, and
 * answers are those of the API.
 */
export function shown(schema: z.ZodObject): Shown {
  const make = (io: 'input' | 'output') => {
    let made: Record<string, unknown> | undefined
    return () => {
      made ??= z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => leaveOutPattern(jsonSchema) })
      return made
    }
  }
  return {
    '~standard': {
      version: 1,
      vendor: 'studio-inventory',
      validate: (value) => ({ value: value as Record<string, unknown> }),
      jsonSchema: { input: make('input'), output: make('output') },
    },
  }
}

function leaveOutPattern(schema: { format?: string; pattern?: string }): void {
  if (schema.format !== undefined) delete schema.pattern
}

/**
 * Reads the arguments of a call.
 *
 * @throws ToolFailure that names every wrong argument and what is accepted
 */
export function argumentsOf<Schema extends z.ZodObject>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given ?? {})
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map((issue) => wordsFor(issue, Object.keys(schema.shape)))
  throw new ToolFailure(`The arguments are not valid; correct them and call again: ${wrong.join('; ')}.`)
}

function wordsFor(issue: z.core.$ZodIssue, names: string[]): string {
  if (issue.code === 'unrecognized_keys') {
    const takes = names.length === 0 ? 'no arguments' : names.join(', ')
    return `there is no ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}; the tool takes ${takes}`
  }
  const [name] = issue.path
  if (issue.code === 'invalid_value') return `each value of ${String(name)} must be one of ${issue.values.join(', ')}`
  return `${String(name)}: ${issue.message}`
}

/** An object of an answer as it may also come: with members that a later release adds. */
export function loose(schema: z.ZodObject): z.ZodObject {
  return described(schema, schema.loose())
}

/** As `loose`, and with any of its members left out by `fields`. */
export function partial(schema: z.ZodObject): z.ZodObject {
  return described(schema, schema.partial().loose())
}

function described(from: z.ZodObject, to: z.ZodObject): z.ZodObject {
  return from.description === undefined ? to : to.describe(from.description)
}
