import { dateFrom } from '../calendar.ts'
import type { Random } from '../random.ts'
import type { StudioProfile } from '../studios/profile.ts'
import type { ItemRow } from './items.ts'

/** A row of app.policies. */
export type PolicyRow = {
  id: string
  name: string
  carrier: string | null
  policy_number: string | null
  policy_type: string
  overall_limit: number | null
  deductible: number | null
  covered_perils: readonly string[] | null
  location_constraints: string | null
  effective_start: string | null
  effective_end: string | null
  archived_at: string | null
}

/** A row of app.policy_assignments. */
export type AssignmentRow = {
  id: string
  policy_id: string
  item_id: string
  declared_value: number | null
  is_primary: boolean
  effective_start: string | null
  effective_end: string | null
}

/** The policies of a studio, their dates counted from `now`. */
export function policyRows(profile: StudioProfile, random: Random, now: Date): PolicyRow[] {
  const date = (days: number | undefined) => (days === undefined ? null : dateFrom(now, days))
  return profile.policies.map((policy) => ({
    id: random.uuid(),
    name: policy.name,
    carrier: policy.carrier ?? null,
    policy_number: policy.number ?? null,
    policy_type: policy.type,
    overall_limit: policy.overallLimit ?? null,
    deductible: policy.deductible ?? null,
    covered_perils: policy.perils ?? null,
    location_constraints: policy.locationConstraints ?? null,
    effective_start: date(policy.startsInDays),
    effective_end: date(policy.endsInDays),
    archived_at: policy.archived ? `${dateFrom(now, -150)}T09:00:00Z` : null,
  }))
}

/** Assigns items to policies as the profile says; an item gets at most one primary assignment. */
export function assignmentRows(
  profile: StudioProfile,
  policies: readonly PolicyRow[],
  items: readonly ItemRow[],
  random: Random,
): AssignmentRow[] {
  const insured = new Set<string>()
  return profile.policies.flatMap(({ covers }, index) => {
    const policy = policies[index] as PolicyRow
    const fitting = items.filter((item) => covers.categories?.includes(item.category) ?? true)
    return fitting
      .filter(() => random.chance(covers.share))
      .map((item) => {
        const primary = covers.primary && !insured.has(item.id)
        if (primary) insured.add(item.id)
        const windowed = random.chance(0.3)
        return {
          id: random.uuid(),
          policy_id: policy.id,
          item_id: item.id,
          declared_value: random.chance(0.15) ? null : item.reported_insured_value,
          is_primary: primary,
          effective_start: windowed ? policy.effective_start : null,
          effective_end: windowed ? policy.effective_end : null,
        }
      })
  })
}
