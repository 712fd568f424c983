import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openPhotos } from '../../src/photos/open-photos.ts'
import { type Credentials, renewInTime } from '../../src/photos/s3.ts'
import { useFolder } from '../support/folder.ts'

/** The fake providers give these credentials. */
const given = { accessKeyId: 'ASIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret/of+a/role', sessionToken: 'Fwo/G+t==' }
const [bucket, region] = ['inventory-photos', 'eu-central-1']
const inSixHours = () => new Date(Date.now() + 6 * 3_600_000).toISOString()

const folder = useFolder()
beforeEach(() => {
  // Nothing of the machine counts: no file, no profile, no instance.
  vi.stubEnv('AWS_CONFIG_FILE', folder.at('config'))
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', folder.at('credentials'))
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
})
afterEach(() => void vi.unstubAllEnvs())

/** A server for one test; returns its address. */
async function serveFake(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The credentials that a URL names, which the service has signed without a key of its own. */
async function named(): Promise<(string | null)[]> {
  const config = readConfig({ PHOTOS_S3_BUCKET: bucket, PHOTOS_S3_REGION: region })
  const { searchParams } = new URL(await (await openPhotos(config, 'unused')).sign('1.png'))
  return [searchParams.get('X-Amz-Credential')?.split('/')[0] ?? null, searchParams.get('X-Amz-Security-Token')]
}
const ofTheRole = [given.accessKeyId, given.sessionToken]

describe('without a key the photos are signed by the role of', () => {
  test('a Kubernetes service account, whose token is exchanged', async () => {
    const asked: string[] = []
    const service = await serveFake(async (request, response) => {
      asked.push(Buffer.concat(await request.toArray()).toString())
      response.setHeader('Content-Type', 'text/xml').end(`<AssumeRoleWithWebIdentityResponse
        xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>
        <AccessKeyId>${given.accessKeyId}</AccessKeyId><SecretAccessKey>${given.secretAccessKey}</SecretAccessKey>
        <SessionToken>${given.sessionToken}</SessionToken><Expiration>${inSixHours()}</Expiration>
        </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`)
    })
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', await folder.file('token', 'the.service.account'))
    vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::111122223333:role/photos')
    vi.stubEnv('AWS_ENDPOINT_URL_STS', service)
    expect(await named()).toEqual(ofTheRole)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain('WebIdentityToken=the.service.account')
  })

  const asJson = () =>
    JSON.stringify({
      ...{ AccessKeyId: given.accessKeyId, SecretAccessKey: given.secretAccessKey, Token: given.sessionToken },
      ...{ Expiration: inSixHours(), Code: 'Success' },
    })

  test('a container', async () => {
    const agent = await serveFake((request, response) => {
      response.statusCode = request.headers.authorization === 'of the container' ? 200 : 403
      response.end(asJson())
    })
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${agent}/credentials`)
    vi.stubEnv('AWS_CONTAINER_AUTHORIZATION_TOKEN', 'of the container')
    expect(await named()).toEqual(ofTheRole)
  })

  test('an instance, by its metadata service', async () => {
    const metadata = await serveFake(({ method, url, headers }, response) => {
      const roles = '/latest/meta-data/iam/security-credentials/'
      if (method === 'PUT' && url === '/latest/api/token') return response.end('session')
      if (headers['x-aws-ec2-metadata-token'] !== 'session') return response.writeHead(401).end()
      if (url === roles) return response.end('photos')
      response.writeHead(url === `${roles}photos` ? 200 : 404).end(asJson())
    })
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'false')
    vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', metadata)
    expect(await named()).toEqual(ofTheRole)
  })

  test('nobody: then there are no URLs, and the reason names the providers', async () => {
    await expect(named()).rejects.toThrow('Could not load credentials from any providers')
  })
})

describe('temporary credentials', () => {
  const minute = 60_000
  /** A chain whose credentials last for these minutes from when they are found. */
  function start(minutes: number) {
    let [time, found] = [0, 0]
    let known: Credentials | undefined
    const chain = async ({ forceRefresh = false } = {}) => {
      if (known === undefined || forceRefresh) {
        found += 1
        known = { ...given, accessKeyId: `key ${found}`, expiration: new Date(time + minutes * minute) }
      }
      return known
    }
    const credentials = renewInTime(chain, 3_600, undefined, () => time)
    return async (at: number) => {
      time = at * minute
      return (await credentials()).accessKeyId
    }
  }

  test('are replaced when a URL would outlive them', async () => {
    const at = start(6 * 60)
    expect([await at(0), await at(299), await at(300)]).toEqual(['key 1', 'key 1', 'key 1'])
    // The service looks for new credentials in the background, less than an hour before the end of
    // the old ones, so no request waits.
    expect([await at(301), await at(302)]).toEqual(['key 1', 'key 2'])
  })

  test('that never last for an hour are replaced every five minutes, not for every URL', async () => {
    const at = start(60)
    const used = []
    for (let time = 0; time <= 12; time += 1) used.push(await at(time))
    expect(new Set(used)).toEqual(new Set(['key 1', 'key 2', 'key 3']))
  })
})

test('while a chain finds nothing it is asked every few seconds, not for every URL', async () => {
  let [time, asked] = [0, 0]
  let found: Credentials | undefined
  const chain = async () => {
    asked += 1
    if (found === undefined) throw new Error('none found')
    return found
  }
  const credentials = renewInTime(chain, 3_600, undefined, () => time)
  for (let count = 0; count < 3; count += 1) await expect(credentials()).rejects.toThrow('none found')
  expect(asked).toBe(1)
  found = given
  time = 5_000
  expect(await credentials()).toBe(given)
  time = 5_001
  expect(await credentials()).toBe(given)
})
