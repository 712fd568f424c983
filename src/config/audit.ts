import { postgresUrl, text, trueOrFalse } from './values.ts'

/** What the audit is told: by whose login it reads, what it knows already, and whether readiness asks it. */
export type AuditConfig = {
  /** The connection string of a member of studio_auditor; undefined: the administrator, acting as that role. */
  url: string | undefined
  /** Rules whose findings are known and do not count. */
  accept: string[]
  /** Whether `/readyz` says when the audit has found something. */
  onReady: boolean
}

export const auditVariables = {
  AUDITOR_DATABASE_URL: postgresUrl().optional(),
  AUDIT_ACCEPT: text(
    (value) => /^[a-z_]+(\s*,\s*[a-z_]+)*$/.test(value),
    'give names of rules, separated by commas, for example server_below_safe_version',
  ).default(''),
  AUDIT_ON_READY: trueOrFalse(false),
}

export function readAudit(data: {
  AUDITOR_DATABASE_URL?: string | undefined
  AUDIT_ACCEPT: string
  AUDIT_ON_READY: boolean
}): AuditConfig {
  return {
    url: data.AUDITOR_DATABASE_URL,
    accept: data.AUDIT_ACCEPT.split(',').flatMap((name) => name.trim() || []),
    onReady: data.AUDIT_ON_READY,
  }
}
