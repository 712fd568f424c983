#!/usr/bin/env node
// Starts the command line: from source in a checkout, from the build in an installed package (Node
// strips no types below node_modules). On an older Node, a checkout uses the Node 24 of `npm ci`.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const source = new URL('main.ts', import.meta.url)
const isCheckout = existsSync(source)
const [major, minor] = process.versions.node.split('.').map(Number)

if (isCheckout ? major >= 24 : major > 22 || (major === 22 && minor >= 15)) {
  await import(isCheckout ? source.href : new URL('../../dist/cli/main.js', import.meta.url).href)
} else {
  const node = isCheckout ? findNode() : undefined
  if (node === undefined) {
    const needed = isCheckout
      ? 'Node 24; run `npm ci`, which installs it, or take it'
      : 'Node 22.15 or newer, for example'
    console.error(
      `studio-inventory: this is Node ${process.versions.node}, and it needs ${needed} from https://nodejs.org`,
    )
    process.exit(1)
  }
  const child = spawn(node, [fileURLToPath(source), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 1
  })
}

function findNode() {
  try {
    return createRequire(import.meta.url).resolve('node/bin/node')
  } catch {
    return undefined
  }
}
