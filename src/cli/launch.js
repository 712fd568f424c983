#!/usr/bin/env node
// Starts the command line: from source in a checkout, from the build in an installed package (Node
// strips no types below node_modules). With a Node below 24, uses the one that the package brings.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const isInstalled = import.meta.url.includes('/node_modules/')
const main = new URL(isInstalled ? '../../dist/cli/main.js' : 'main.ts', import.meta.url)

if (Number.parseInt(process.versions.node, 10) >= 24) {
  await import(main.href)
} else {
  const node = createRequire(import.meta.url).resolve('node/bin/node')
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 1
  })
}
