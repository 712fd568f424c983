/** Runs steps of a Zapier app by its own tester, one after the other: node run.cjs APP '[["triggers","item_updated",{}]]'. Prints what each gave. */
const [folder, steps] = process.argv.slice(2)
const zapier = require('zapier-platform-core')
const { compileApp, validateApp } = require('zapier-platform-core/src/tools/schema')
const app = require(folder)
const authData = { base_url: process.env.API_URL, token: process.env.TOKEN }

async function main() {
  const results = [{ invalid: validateApp(compileApp(app)) }]
  const test = zapier.createAppTester(app)
  for (const [kind, key, inputData] of JSON.parse(steps)) {
    const step = kind === 'authentication' ? app.authentication.test : app[kind][key].operation.perform
    results.push(await test(step, { authData, inputData, meta: {} }).catch(({ name, message }) => ({ name, message })))
  }
  process.stdout.write(JSON.stringify(results))
}
main()
