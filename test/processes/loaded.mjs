/** Preloaded into the service: prints the address of each module of OpenTelemetry as it is loaded. */
import { registerHooks } from 'node:module'

registerHooks({
  load(url, context, nextLoad) {
    if (url.includes('@opentelemetry')) process.stderr.write(`loaded ${url}\n`)
    return nextLoad(url, context)
  },
})
