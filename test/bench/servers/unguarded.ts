import { registerHooks } from 'node:module'

// Loaded before the service (`node --import`), takes away what a request pays for being limited and recorded: the two
// modules that do it are replaced by ones that let everything through and keep nothing. All else is the service as it is.

const replaced: Record<string, string> = {
  '/src/auth/limiter.ts': 'open-limiter.ts',
  '/src/auth/recorder.ts': 'deaf-recorder.ts',
}

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const replacement = Object.entries(replaced).find(([file]) => found.url.endsWith(file))?.[1]
    if (replacement === undefined || context.parentURL?.endsWith(replacement)) return found
    return { ...found, url: new URL(replacement, import.meta.url).href }
  },
})
