// Runs in a container that shares the service's network: clients that keep their connections ask until the service lets
// nobody in any more. Prints what came of every request as one line of JSON.
import { Agent, get } from 'node:http'

const [token, clients] = [process.argv[2], Number(process.argv[3])]
const outcomes = {}
const count = (outcome) => {
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
}

function ask(agent) {
  return new Promise((resolve) => {
    const options = { agent, headers: { Authorization: `Bearer ${token}` } }
    const request = get('http://127.0.0.1:3000/v1/items?per_page=50', options, (response) => {
      let bytes = 0
      response.on('data', (chunk) => {
        bytes += chunk.length
      })
      response.on('error', (error) => resolve(`broken off: ${error.code}`))
      response.on('end', () => resolve(response.complete && bytes > 0 ? String(response.statusCode) : 'cut short'))
    })
    request.on('error', (error) => resolve(error.code ?? error.message))
  })
}

async function client() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const end = Date.now() + 60_000
  while (Date.now() < end) {
    const outcome = await ask(agent)
    count(outcome)
    if (outcome !== '200') break
  }
  agent.destroy()
}

await Promise.all(Array.from({ length: clients }, client))
console.log(JSON.stringify(outcomes))
