import type { LoginRole } from './roles.ts'

/** The database in use, as connection strings. */
export type Database = {
  /** The administrator's: migrates, and runs management functions as studio_owner. */
  adminUrl: string
  /** The connection string of a role; for studio_owner the administrator's, acting as that role. */
  urlFor(role: LoginRole | 'studio_owner'): string
  /** The secret from which role passwords and signing keys are derived. */
  secretKey: string
  embedded: boolean
  /** Releases the embedded server, which stops when nobody else uses it. Pools have to be closed before. */
  close(): Promise<void>
}
