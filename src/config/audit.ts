import type { z } from 'zod'
import { postgresUrl, text } from './values.ts'

/** Splits at commas, but not at those between the arguments of a function. */
function names(value: string): string[] {
  return value.split(/,(?![^(]*\))/).flatMap((name) => name.trim() || [])
}

export const auditVariables = {
  AUDITOR_DATABASE_URL: postgresUrl().optional(),
  AUDIT_ACCEPT: text(
    (value) => names(value).every((name) => /^[a-z_]+$|^[a-z]\S* \S|^database@\S+$/.test(name)),
    'give names of rules, or objects with their kind, separated by commas, for example server_below_safe_version, role dba_anna',
  ).default(''),
  AUDIT_ADMINISTRATORS: text(() => true, 'give names of roles, separated by commas').default(''),
}

/** Settings of the audit: its login, and what it accepts. */
export function readAudit(data: z.infer<z.ZodObject<typeof auditVariables>>) {
  const administrators = names(data.AUDIT_ADMINISTRATORS)
  return {
    /** The connection string of a member of studio_auditor. Without it, the administrator acts as
     * that role. */
    url: data.AUDITOR_DATABASE_URL,
    /** Rules and objects whose findings the operator has accepted. */
    accept: names(data.AUDIT_ACCEPT),
    /** These roles may be administrators. Without it, every role that looks like one may be. */
    administrators: administrators.length > 0 ? administrators : undefined,
  }
}
