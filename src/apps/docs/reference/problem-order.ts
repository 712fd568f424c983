import { type ProblemCode, problemDefinitions } from '../../../http/problems.ts'

/** Errors in the order of their statuses. */
export function byStatus(codes: readonly ProblemCode[]): ProblemCode[] {
  return codes.toSorted((one, other) => problemDefinitions[one].status - problemDefinitions[other].status)
}
