import { altered, type Mutation } from '../mutation.ts'

/** A setting of a login role that is gone. Roles belong to the server; the next run's migrations set it again. */
const without = (role: string, setting: string): Mutation => ({
  name: `leave ${setting} out of ${role}`,
  tests: ['test/database/role-settings.test.ts'],
  sql: `alter role ${role} reset ${setting}`,
})

const knownAnalyst = `pg_get_functiondef('access.known_analyst'::regproc)`
const cutting = ['test/analysts/cutting.test.ts']

/** What binds the service's logins by themselves, and which logins count as analysts'. */
export const roles: readonly Mutation[] = [
  without('studio_graphql', 'default_transaction_read_only'),
  without('studio_api', 'default_transaction_read_only'),
  without('studio_api', 'lock_timeout'),
  without('studio_api', 'statement_timeout'),
  without('studio_api', 'idle_in_transaction_session_timeout'),
  without('studio_recorder', 'statement_timeout'),
  without('studio_console', 'lock_timeout'),
  without('studio_graphql', 'idle_in_transaction_session_timeout'),
  {
    name: "let an analyst's transaction write",
    tests: ['test/database/analyst-transaction.test.ts'],
    patch: {
      file: 'src/database/analyst-transaction.ts',
      from: 'isolation level repeatable read read only',
      to: 'isolation level repeatable read',
    },
  },
  {
    name: "let an analyst's transaction read many moments",
    tests: ['test/database/analyst-transaction.test.ts'],
    patch: {
      file: 'src/database/analyst-transaction.ts',
      from: 'isolation level repeatable read read only',
      to: 'read only',
    },
  },
  {
    name: 'drop a superuser who was mapped by mistake',
    tests: cutting,
    sql: altered(knownAnalyst, 'r.rolsuper or ', ''),
  },
  {
    name: 'drop who may make roles and was mapped by mistake',
    tests: cutting,
    sql: altered(knownAnalyst, 'r.rolcreaterole or ', ''),
  },
  {
    name: 'drop who is no member of studio_analyst and was mapped by mistake',
    tests: cutting,
    sql: altered(knownAnalyst, ` or not pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')`, ''),
  },
]
