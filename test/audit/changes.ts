/** What is done to a database as the migrations make it, and what the audit says then: the rule,
 * the object, and part of what is said of it. `:login` stands for a login made by the plant. */
export type Change = readonly [plant: string, ...finds: (readonly [rule: string, object: string, says?: string])[]]

export const more = 'not_installed_by_this_release'
export const other = 'differs_from_this_release'
export const less = 'missing_here'
export const system = 'system_object_changed'
export const open = 'system_privileges_not_set'
export const overloaded = 'system_name_overloaded'

/** A login of nobody's, such as somebody makes to come back by. */
export const login = `do $$ begin create role studio_test_spy login; exception when duplicate_object then null; end $$;`
/** The catalog's own tables, written by hand. */
export const byHand = 'set local allow_system_table_mods = on;'
export const itemsPolicy = `"A studio's items are seen and written by that studio alone"`
export const inDatabase = (text: string) =>
  `do $$ begin execute format('${text.replaceAll("'", "''")}', current_database()); end $$`
