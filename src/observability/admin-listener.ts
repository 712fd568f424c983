import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { MetricsConfig } from '../config/config.ts'
import { listen } from '../http/listener.ts'
import { splitTarget } from '../http/message.ts'
import { jsonType, type Readiness, send, sendReadiness, setCommonHeaders } from '../http/response.ts'
import { hardenServer, serverOptions } from '../http/server.ts'
import type { Logger } from '../log.ts'
import { createMetrics } from './metrics.ts'

export type AdminListener = Awaited<ReturnType<typeof openAdminListener>>

/** Enough for monitoring from the internal network. */
const maxConnections = 100
/** How long a last scrape may take, in milliseconds. */
const closeTimeoutMs = 1_000
const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** Opens the admin port: metrics, health and readiness. @throws ListenError */
export async function openAdminListener(config: NonNullable<MetricsConfig>, docsUrl: string, log: Logger) {
  const metrics = createMetrics()
  let ready = async (): Promise<Readiness> => ({ ready: false, reason: 'the service is starting' })
  metrics.watchReadiness(() => ready())

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    setCommonHeaders(response)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD')
      return send(response, 405, jsonType, '{"status":"method not allowed"}')
    }
    switch (splitTarget(request.url ?? '/').path) {
      case '/metrics':
        return send(response, 200, metricsType, await metrics.text())
      case '/healthz':
        return send(response, 200, jsonType, '{"status":"ok"}')
      case '/readyz':
        return sendReadiness(response, ready)
      default:
        return send(response, 404, jsonType, '{"status":"not found"}')
    }
  }

  const server = createServer(serverOptions, (request, response) => {
    respond(request, response).catch((error: unknown) => {
      log.error({ err: error }, 'the admin port could not answer')
      if (response.headersSent) response.destroy()
      else send(response, 500, jsonType, '{"status":"internal error"}')
    })
  })
  const drain = hardenServer(server, { docsUrl, log, maxConnections })
  const port = await listen(server, config.host, config.port, 'METRICS_PORT', log)
  log.info({ host: config.host, port }, 'metrics are served')
  return {
    metrics,
    port,
    /** Sets what `/readyz` answers from now on. Until then the service is starting. */
    readyWhen(asked: () => Promise<Readiness>): void {
      ready = asked
    },
    close: () => drain(closeTimeoutMs),
  }
}
