import { sameName, type Tool } from './mapping.ts'
import { tools } from './tools/index.ts'

const sourcesOf = (tool: Tool): string[] => [
  ...Object.values(tool.columns).flatMap(({ from }) => from),
  ...(tool.only ? [tool.only.column] : []),
]

/**
 * What a tool means by a column of this name; undefined when it has none of that name.
 *
 * @param option the tool, as --from calls it; else any of them
 */
export function knownAs(kind: string, name: string, option?: string): string | undefined {
  for (const [key, tool] of Object.entries(tools)) {
    if (tool.kind !== kind || (option !== undefined && key !== option)) continue
    const found = Object.entries(tool.columns).find(([, { from }]) => from.some((theirs) => sameName(theirs, name)))
    if (found !== undefined) return found[0]
  }
  return undefined
}

/** The tool that a header looks like an export of: it has the tool's key and at least three more columns of it. */
export function looksLike(kind: string, header: readonly string[]): { option: string; title: string } | undefined {
  const scored = Object.entries(tools)
    .filter(([, tool]) => tool.kind === kind)
    .map(([option, tool]) => {
      const has = (theirs: string) => header.some((name) => sameName(name, theirs))
      const keyed = tool.columns.external_key?.from.some(has) ?? false
      return { option, title: tool.title, score: keyed ? new Set(sourcesOf(tool).filter(has)).size : 0 }
    })
    .sort((a, b) => b.score - a.score)
  const [best] = scored
  return best !== undefined && best.score >= 4 ? best : undefined
}
