import { registerHooks } from 'node:module'

// Loaded before the service (`node --import`), takes away what lists have for clients that poll: Link, Next-Updated-Since and
// ETag. All else is the service as it is.

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    if (!found.url.endsWith('/src/api/list-headers.ts') || context.parentURL?.endsWith('/no-list-headers.ts'))
      return found
    return { ...found, url: new URL('no-list-headers.ts', import.meta.url).href }
  },
})
