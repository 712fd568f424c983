import { studioSetting, type Transaction } from '../../../database/session.ts'

/**
 * Words that everybody may read, whoever they belong to: names, comments and definitions in the catalog, time zones,
 * settings. A studio in `Europe/Berlin` is not recognised by that.
 */
export async function readVocabulary(transaction: Transaction): Promise<string[]> {
  const rows = await transaction.query<{ word: string }>(
    `select name as word from pg_catalog.pg_timezone_names
     union all select concat_ws(' ', name, short_desc, extra_desc, array_to_string(enumvals, ' '))
       from pg_catalog.pg_settings
     union all select concat_ws(E'\\n', p.proname, p.prosrc, pg_catalog.pg_get_function_arguments(p.oid))
       from pg_catalog.pg_proc p
     union all select relname from pg_catalog.pg_class
     union all select distinct attname from pg_catalog.pg_attribute
     union all select typname from pg_catalog.pg_type
     union all select nspname from pg_catalog.pg_namespace
     union all select datname from pg_catalog.pg_database
     union all select rolname from pg_catalog.pg_roles
     union all select collname from pg_catalog.pg_collation
     union all select description from pg_catalog.pg_description
     union all select feature_name from information_schema.sql_features
     union all select pg_catalog.pg_get_constraintdef(oid) from pg_catalog.pg_constraint where contype = 'c'
     union all select definition from pg_catalog.pg_views
     union all select policyname from pg_catalog.pg_policies`,
  )
  return rows.map(({ word }) => word)
}

/**
 * The settings that a definition reads and that anybody may set, from every function, view and policy: whoever could call
 * itself another studio would have to do it by one of them.
 */
export async function readSettings(transaction: Transaction): Promise<string[]> {
  const rows = await transaction.query<{ setting: string }>(
    `select distinct pg_catalog.lower(m[1]) as setting
     from (
       select p.prosrc from pg_catalog.pg_proc p where p.pronamespace <> 'pg_catalog'::regnamespace
       union all select pg_catalog.pg_get_function_sqlbody(p.oid) from pg_catalog.pg_proc p where p.prosqlbody is not null
       union all select definition from pg_catalog.pg_views where schemaname not in ('pg_catalog', 'information_schema')
       union all select concat_ws(' ', qual, with_check) from pg_catalog.pg_policies
     ) as d (definition),
     pg_catalog.regexp_matches(d.definition, 'current_setting\\s*\\(\\s*''([a-zA-Z_]+\\.[a-zA-Z_]+)''', 'g') as m
     order by 1`,
  )
  return [...new Set([studioSetting, ...rows.map(({ setting }) => setting)])]
}
