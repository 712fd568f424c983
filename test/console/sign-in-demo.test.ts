import { describe, expect, it } from 'vitest'
import { signInMethod } from '../../src/console/sign-in-method.ts'
import { demoPeople } from '../../src/demo/studios.ts'
import { makeLogger } from '../../src/log.ts'
import { consoleOf, provider, useConsole, visitorOf } from './support.ts'

const demo = () => signInMethod([], async () => demoPeople(), makeLogger({ level: 'silent' }))
const world = useConsole()
const owner = () => world.cast.a.people.owner

describe('in the demo', () => {
  it('only people of the demo are listed and taken, by the form of that page', async () => {
    const service = await world.start({ console: consoleOf({}, await demo()) })
    const visitor = visitorOf(service)
    const email = 'imogen@northlight.example'
    await world.owner(`select access.create_studio('Northlight', $1, 'Imogen')`, [email])
    expect((await visitor.post('/console/sign-in/demo', { email })).status).toBe(403)
    expect((await visitor.get('/console')).location).toBe('/console/sign-in')
    const page = await visitor.get('/console/sign-in')
    expect(page.text).toContain('demo database')
    expect(page.text).toContain(email)
    expect(page.text).not.toContain(owner().email)
    expect(page.text).toContain('<button>Imogen Hart</button> <span class="soft">owner, Northlight Studios</span>')
    expect(page.text).toContain('owner, Hollow Oak Recording, whose plan has lapsed')
    expect((await visitor.post('/console/sign-in/demo', { email: owner().email })).status).toBe(401)
    expect((await visitor.get('/console/sign-in/start')).status).toBe(404)
    expect((await visitor.post('/console/sign-in/demo', { email })).status).toBe(200)
    expect((await visitor.get('/console')).status).toBe(303)
  })

  it("only the console's own page can sign a visitor in", async () => {
    const service = await world.start({ console: consoleOf({}, await demo()) })
    const visitor = visitorOf(service)
    const email = 'imogen@northlight.example'
    await world.owner(`select access.create_studio('Northlight', $1, 'Imogen')`, [email])
    await visitor.get('/console/sign-in')
    const from = (Origin: string) => visitor.post('/console/sign-in/demo', { email }, { Origin })
    for (const origin of ['https://evil.example', provider.issuer, 'null', ''])
      expect((await from(origin)).status).toBe(403)
    expect((await visitor.get('/console')).location).toBe('/console/sign-in')
    expect((await from(service.url)).status).toBe(200)
  })

  it('and nowhere else', async () => {
    expect((await world.stranger().post('/console/sign-in/demo', { email: 'imogen@northlight.example' })).status).toBe(
      401,
    )
  })
})
