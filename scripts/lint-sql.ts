import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadModule, parsePlPgSQLSync, parseSync } from 'libpg-query'
import { messageOf } from '../src/domain/text.ts'

// Reads every file of sql/ and every committed migration with PostgreSQL's own parser, PL/pgSQL bodies included, and checks
// the files of sql/ against the conventions of sql/README.md that a parser can see. Prints what is wrong; status 1 if anything.

const root = join(import.meta.dirname, '..')

type Rule = { says: string; broken(text: string, file: string): boolean }

const rules: readonly Rule[] = [
  {
    says: 'a line is longer than 140 characters',
    broken: (text) => text.split('\n').some((line) => line.length > 140),
  },
  { says: 'a line ends in white space', broken: (text) => /[ \t]$/m.test(text) },
  {
    says: 'a keyword is not in lower case',
    broken: (text) =>
      /\b(?:SELECT|CREATE|FROM|WHERE|FUNCTION|RETURNS|BEGIN|GRANT|REVOKE)\b/.test(withoutComments(text)),
  },
  {
    says: 'a function states neither `set search_path` nor a body that is parsed when it is created',
    broken: (text) =>
      /^create or replace function/m.test(text) && !/^set search_path = ''$|^begin atomic$|^return/m.test(text),
  },
  {
    says: 'a function does not state its volatility and whose rights it runs with',
    broken: (text) =>
      /^create or replace function/m.test(text) &&
      !/^language \w+ (?:volatile|stable|immutable) (?:strict )?security (?:invoker|definer)/m.test(text),
  },
  {
    says: 'a function, view or type has no comment',
    broken: (text) => /^create (?:or replace )?(?:function|view) /m.test(text) && !/^comment on /m.test(text),
  },
  {
    says: 'a view does not run with its caller’s rights',
    broken: (text) => /create or replace view/.test(text) && !text.includes('with (security_invoker = true)'),
  },
  {
    says: 'the file is not named for the function or view in it',
    broken: (text, file) => {
      const object = /^create or replace (?:function|view) \w+\.(\w+)/m.exec(text)?.[1]
      return object !== undefined && !file.endsWith(`/${object}.sql`)
    },
  },
]

function withoutComments(text: string): string {
  return text.replace(/--.*$/gm, '').replace(/'(?:[^']|'')*'/g, "''")
}

async function sqlFiles(folder: string): Promise<string[]> {
  const files = await readdir(join(root, folder), { recursive: true })
  return files.filter((file) => file.endsWith('.sql')).map((file) => join(folder, file))
}

/** Returns what PostgreSQL's parsers say about a text; null when they find nothing. */
function syntaxError(text: string): string | null {
  try {
    parseSync(text)
    // The parser of PL/pgSQL takes a text with one function: a file of sql/, not a migration.
    const functions = text.match(/^create or replace function/gm)?.length
    if (functions === 1 && /^language plpgsql/m.test(text))
      // The parser takes an array of a type that it does not know for one of records.
      parsePlPgSQLSync(text.replace(/^returns \w+\.\w+\[\]$/m, 'returns text[]'))
    return null
  } catch (error) {
    return messageOf(error)
  }
}

await loadModule()
const ours = await sqlFiles('sql')
const findings: string[] = []
for (const file of [...ours, ...(await sqlFiles('migrations/committed'))]) {
  const text = await readFile(join(root, file), 'utf8')
  const error = syntaxError(text)
  if (error !== null) findings.push(`${file}: ${error}`)
  if (!ours.includes(file)) continue
  findings.push(...rules.filter((rule) => rule.broken(text, file)).map((rule) => `${file}: ${rule.says}`))
}
for (const finding of findings) console.error(finding)
console.log(`${ours.length} files of sql/ read, ${findings.length} findings`)
if (findings.length > 0) process.exitCode = 1
