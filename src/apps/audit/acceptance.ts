import type { Compared } from './compare.ts'
import type { Finding } from './finding.ts'

/** What was to be accepted is neither a rule nor an object: nothing would be, and nobody would notice. */
export class UnknownRule extends Error {
  override name = 'UnknownRule'
  readonly hint: string

  constructor(name: string, rules: readonly string[]) {
    super(`the audit has no rule ${name}`)
    this.hint = `Rules: ${rules.join(', ')}\nAn object is named with its kind, as the findings do: 'extension hstore@…'`
  }
}

/**
 * Tells which findings are accepted. A rule is one word and covers its findings; anything else is an object and covers
 * those on it, in the state after `@`, or in any. Whoever names an object like a rule gains nothing by it.
 *
 * @throws UnknownRule
 */
export function acceptance(
  rules: readonly string[],
  accept: readonly string[],
): (finding: Finding & Partial<Compared>) => boolean {
  // The database has no name: it stands for its kind.
  const isObject = (name: string) => /^[a-z]\S* \S|^database(@\S+)?$/.test(name)
  const unknown = accept.find((name) => !rules.includes(name) && !isObject(name))
  if (unknown !== undefined) throw new UnknownRule(unknown, rules)
  const words = new Set(accept.filter((name) => rules.includes(name)))
  const objects = new Set(accept.filter((name) => !rules.includes(name)))
  return ({ rule, object, state, pinned }) =>
    words.has(rule) || (!pinned && objects.has(object)) || (state !== undefined && objects.has(`${object}@${state}`))
}
