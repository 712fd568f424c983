import { type Command, InvalidArgumentError, Option } from 'commander'
import { command } from './command.ts'
import { CommandError } from './failure.ts'
import { complain } from './output.ts'
import type { Context } from './session.ts'

export function mcpCommand(context: Context): Command {
  return command('mcp')
    .description('Serve the Model Context Protocol on standard input and output, for AI assistants.')
    .addOption(
      new Option('--url <address>', 'the address of the service, with /v1 or without')
        .default('http://localhost:3000')
        .argParser(webAddress),
    )
    .notes(`
An assistant starts it and asks it; nobody types here. It reads the API at the address with the token in STUDIO_INVENTORY_TOKEN,
so that it sees one studio, within the limits of that token, and can change nothing. It needs no database. A service where MCP=true
answers the same at /mcp, without this command.

Examples:
  STUDIO_INVENTORY_TOKEN=svc_studio_… studio-inventory mcp
  STUDIO_INVENTORY_TOKEN=svc_studio_… studio-inventory mcp --url https://api.example.com
  claude mcp add studio-inventory --env STUDIO_INVENTORY_TOKEN=svc_studio_… -- npx -y --omit=optional studio-inventory mcp`)
    .action(async ({ url }: { url: string }) => {
      const { token } = context.config().mcp
      if (token === undefined) {
        throw new CommandError(
          'STUDIO_INVENTORY_TOKEN: not set',
          'Set it to an API token of the studio, in the environment that the assistant starts this command with.',
        )
      }
      const { serveStdio } = await import('../mcp/stdio.ts')
      serveStdio(url, token, (error) => complain([`studio-inventory: ${error.message}`]))
    })
}

function webAddress(value: string): string {
  const url = URL.parse(value)
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url === null || !isWeb || `${url.username}${url.password}${url.search}${url.hash}` !== '') {
    throw new InvalidArgumentError('Give a web address, for example https://api.example.com.')
  }
  return value
}
