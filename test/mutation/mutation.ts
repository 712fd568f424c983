/**
 * A guard taken away on purpose: by SQL that the administrator runs in the migrated template database, or by a text
 * replaced in a copy of the code. At least one of the tests must turn red.
 */
export type Mutation = {
  name: string
  tests: string[]
  sql?: string
  patch?: { file: string; from: string; to: string }
}

/** Installs an object of the schema with a part of its definition replaced; refuses when there is no such part. */
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
