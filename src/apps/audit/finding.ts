/** One row of audit.findings, or one way in which what exists differs from what this release installs. */
export type Finding = {
  rule: string
  level: 'error' | 'warning'
  object: string
  finding: string
  why: string
  remedy: string
}
