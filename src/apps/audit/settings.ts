import type { Facts } from './facts.ts'

/** A setting of the server as it should be, and the major versions that have it. */
type Sound = { value: string; since?: number; until?: number }

/**
 * Settings as they are in a server that loads and runs nothing of others, where policies, triggers and roles hold and names
 * and statements mean what they say. What a server logs is its operator's choice.
 */
const sound: Record<string, Sound> = {
  allow_system_table_mods: { value: 'off' },
  archive_cleanup_command: { value: '' },
  archive_command: { value: '' },
  archive_library: { value: '' },
  createrole_self_grant: { value: '', since: 16 },
  db_user_namespace: { value: 'off', until: 16 },
  dynamic_library_path: { value: '$libdir' },
  event_triggers: { value: 'on', since: 17 },
  extension_control_path: { value: '$system', since: 18 },
  jit_provider: { value: 'llvmjit' },
  lo_compat_privileges: { value: 'off' },
  local_preload_libraries: { value: '' },
  oauth_validator_libraries: { value: '', since: 18 },
  password_encryption: { value: 'scram-sha-256' },
  recovery_end_command: { value: '' },
  restore_command: { value: '' },
  row_security: { value: 'on' },
  search_path: { value: '"$user", public' },
  session_preload_libraries: { value: '' },
  session_replication_role: { value: 'origin' },
  shared_preload_libraries: { value: '' },
  ssl_passphrase_command: { value: '' },
  standard_conforming_strings: { value: 'on' },
  transform_null_equals: { value: 'off' },
}

/** Read beside the settings: the replication slots of this database, of which there should be none. */
export const slots = 'replication slots'

/** The settings that are read. */
export const settingNames = Object.keys(sound)

/** Settings that are not as they should be; what nobody should have set at all is told too. */
export function unsoundSettings(found: Facts): { name: string; value: string; wanted: string }[] {
  return Object.entries(found).flatMap(([name, value]) => {
    const wanted = sound[name]?.value ?? ''
    return value === wanted ? [] : [{ name, value, wanted }]
  })
}

/** What a server of this major version has, and this login was not shown. */
export function unseenSettings(found: Facts, major: number): string[] {
  const names = Object.entries(sound).flatMap(([name, { since = 0, until = Number.POSITIVE_INFINITY }]) =>
    since <= major && major <= until && !(name in found) ? [`the setting ${name}`] : [],
  )
  return slots in found ? names : [...names, slots]
}
