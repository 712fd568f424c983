import type { z } from 'zod'
import { text, trueOrFalse } from './values.ts'

/** The Model Context Protocol: at `/mcp` of the service, and of the command. */
export type McpConfig = {
  /** Whether the service answers at `/mcp`. */
  enabled: boolean
  /** The token that the command `mcp` asks with; the service does not use it. */
  token: string | undefined
}

export const mcpVariables = {
  MCP: trueOrFalse(false),
  STUDIO_INVENTORY_TOKEN: text(
    (value) => /^svc_(?:pro|studio)_[0-9A-Za-z]{32}$/.test(value),
    'give an API token of a studio, as the console shows it once: svc_studio_…',
  ).optional(),
}

export function readMcp(data: z.infer<z.ZodObject<typeof mcpVariables>>): McpConfig {
  return { enabled: data.MCP, token: data.STUDIO_INVENTORY_TOKEN }
}
