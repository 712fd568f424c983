/** A guard: its name, the tests of which one must turn red, and how it is taken away: by SQL
 * in the template, or by a text replaced in a copy of the code. */
export type Guard = [name: string, tests: string, how: string | Patch]

export type Patch = { file: string; from: string; to: string }

/** Installs an object with a part of its definition replaced. */
export function altered(definition: string, from: string, to: string, prefix = ''): string {
  return `do $do$
    declare before text := ${definition};
    begin
      if strpos(before, $from$${from}$from$) = 0 then raise exception 'nothing to replace'; end if;
      set local role studio_owner;
      execute ${prefix === '' ? '' : `$p$${prefix}$p$ || `}replace(before, $from$${from}$from$, $to$${to}$to$);
      reset role;
    end $do$;`
}

export const inFunction = (name: string, from: string, to: string) =>
  altered(`pg_get_functiondef('${name}'::regproc)`, from, to)

/** The tests of a guard, as vitest takes them. */
export const testsOf = ([, tests]: Guard) => tests.split(' ').map((file) => `test/${file}.test.ts`)
