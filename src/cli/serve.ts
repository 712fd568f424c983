import { type Command, InvalidArgumentError, Option } from 'commander'
import { keepLibrariesSilent } from '../config/config.ts'
import { webAddress } from '../config/values.ts'
import { command } from './command.ts'
import { CommandError } from './failure.ts'
import { complain, print } from './output.ts'
import type { Context } from './session.ts'

export function serveCommand(context: Context): Command {
  return command('serve')
    .description('Run the service: the API under /v1, /healthz and /readyz.')
    .notes(`
Without DATABASE_URL it starts the embedded PostgreSQL server, migrates it, fills a new one with demo data and
prints links and a request with a working token. On a terminal the log is short lines of text; LOG_FORMAT=json asks
for JSON. With DATABASE_URL it changes nothing: run migrate first.
SIGTERM and Ctrl-C shut it down gracefully, finishing requests in flight; a second signal stops it immediately.

Examples:
  studio-inventory serve
  PORT=8080 LOG_LEVEL=warn studio-inventory serve
  DATABASE_URL=postgresql://admin:secret@db.example.com/studio_inventory SECRET_KEY=… studio-inventory serve`)
    .action(async () => {
      const config = context.config()
      // The rest of the service loads while PostgreSQL makes a new database. If that fails, the
      // service says so below, when it opens the database.
      if (config.databaseUrl === undefined) {
        if (config.logAsText) print('Starting PostgreSQL …')
        const { openCluster } = await import('../embedded/cluster.ts')
        await new Promise<void>(
          (go) =>
            void openCluster(config.dataDir, undefined, go).then(
              () => go(),
              () => go(),
            ),
        )
      }
      const [{ makeLogger }, { keepHeapSmall, serve }, { shutDownGracefully }] = await Promise.all([
        import('../log.ts'),
        import('../service/service.ts'),
        import('../service/signals.ts'),
      ])
      keepHeapSmall()
      const log = makeLogger({ level: config.logLevel, asText: config.logAsText })
      await shutDownGracefully(serve(config, log), log)
    })
}

export function graphqlCommand(context: Context): Command {
  return command('graphql')
    .description('Run GraphQL for analysts, in a separate process next to serve.')
    .notes(`
It listens on GRAPHQL_PORT (3001): POST /graphql, a page to write queries in at /, /healthz and /readyz. It takes the same variables as
serve. Without DATABASE_URL there is no need to run it: serve starts it.
SIGTERM and Ctrl-C shut it down gracefully, finishing queries in flight; a second signal stops it immediately.

Examples:
  DATABASE_URL=postgresql://db.example.com/studio_inventory SECRET_KEY=… studio-inventory graphql`)
    .action(async () => {
      const config = context.config()
      keepLibrariesSilent()
      const [{ makeLogger }, { serveGraphql }, { shutDownGracefully }] = await Promise.all([
        import('../log.ts'),
        import('../service/graphql.ts'),
        import('../service/signals.ts'),
      ])
      const log = makeLogger({ level: config.logLevel, asText: config.logAsText, unbuffered: true })
      const starting = shutDownGracefully(serveGraphql(config, log), log)
      // If a service started this process, it ends with the service.
      process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
      await (await starting).ready
      // The service then prints how to query it.
      if (process.connected) process.send?.('ready')
    })
}

export function mcpCommand(context: Context): Command {
  return command('mcp')
    .description('Serve the Model Context Protocol on standard input and output, for AI assistants.')
    .addOption(
      new Option('--url <address>', 'the address of the service, with /v1 or without')
        .default('http://localhost:3000')
        .argParser(addressOf),
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

function addressOf(value: string): string {
  const parsed = webAddress('').safeParse(value)
  if (parsed.success) return parsed.data
  throw new InvalidArgumentError('Give a web address, for example https://api.example.com.')
}
