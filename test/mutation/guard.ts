/** A guard has a name, tests of which one must turn red without it, and the way to take it away: by
 * SQL in the template, or by a text that is replaced in a copy of the code. */
export type Guard = [name: string, tests: string, how: string | Patch]

export type Patch = { file: string; from: string; to: string }

/** Guards by the tests of which one must turn red, then by name. `access.may_manage: from → to` and
 * `view access.current_watermark: from → to` are SQL, `src/api/read.ts: from → to` is a text. */
export const guardsOf = (byTests: Record<string, Record<string, Guard[2]>>): Guard[] =>
  Object.entries(byTests).flatMap(([tests, ways]) =>
    Object.entries(ways).map(([name, how]): Guard => [name, tests, typeof how === 'string' ? replaced(how) : how]),
  )

function replaced(how: string): Guard[2] {
  const [, view, where = '', from = '', to = ''] = /^(view )?(\S+): (.+) →(?: (.*))?$/s.exec(how) ?? []
  if (where === '') return how
  if (view) return altered(viewAs(where), from, to)
  return where.includes('/') ? inFile(where, from, to) : inFunction(where, from, to)
}

export const inFile = (file: string, from: string, to: string): Patch => ({ file, from, to })

/** Installs an object with a part of its definition replaced. */
export function altered(definition: string, from: string, to: string): string {
  return `do $do$
    declare before text := ${definition};
    begin
      if strpos(before, $from$${from}$from$) = 0 then raise exception 'nothing to replace'; end if;
      set local role studio_owner;
      execute replace(before, $from$${from}$from$, $to$${to}$to$);
      reset role;
    end $do$;`
}

export const inFunction = (name: string, from: string, to: string) =>
  altered(`pg_get_functiondef('${name}'::regproc)`, from, to)

/** The statement that makes a view whose definition is this SQL. */
export const viewAs = (name: string, definition = `pg_get_viewdef('${name}'::regclass)`) =>
  `'create or replace view ${name} with (security_invoker = true) as ' || ${definition}`

/** The tests of a guard, as vitest takes them. */
export const testsOf = ([, tests]: Guard) => tests.split(' ').map((file) => `test/${file}.test.ts`)
