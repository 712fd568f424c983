import { demoPeople } from '../src/demo/studios.ts'
import { startIdentityProvider } from '../test/support/identity-provider.ts'

/**
 * Starts an identity provider on this machine whose people are those of the demo, and prints how to start the service with it. For
 * trying the console's sign-in; anybody who can reach it can be anybody.
 */
async function main(): Promise<void> {
  const publicUrl = process.env.PUBLIC_URL ?? 'http://localhost:3000'
  const { issuer, clientId, clientSecret } = await startIdentityProvider({
    accounts: [...demoPeople(), { email: 'nobody@example.com', name: 'Somebody without a studio' }],
    publicUrl,
    port: 3900,
  })
  const variables = {
    CONSOLE_ISSUER: issuer,
    CONSOLE_ISSUER_NAME: 'Demo provider',
    CONSOLE_CLIENT_ID: clientId,
    CONSOLE_CLIENT_SECRET: clientSecret,
  }
  const settings = Object.entries(variables).map(([name, value]) => `${name}='${value}'`)
  console.log(`${[...settings, 'npm start'].join(' \\\n  ')}\n\nthen ${publicUrl}/console; Ctrl-C ends the provider`)
}

await main()
