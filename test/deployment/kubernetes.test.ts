import { describe, expect, test } from 'vitest'
import { readConfig, variableNames } from '../../src/config/config.ts'
import { readManifests } from '../support/kubernetes.ts'

type Labels = Record<string, string>
type Probe = { httpGet?: { path: string } }
type Container = {
  securityContext: object
  resources: object
  readinessProbe?: Probe
  livenessProbe?: Probe
  startupProbe?: Probe
}
type Pod = {
  securityContext: object
  automountServiceAccountToken: boolean
  terminationGracePeriodSeconds?: number
  containers: [Container]
}
type Workload = { spec: { template: { metadata: { labels: Labels }; spec: Pod } } }
type Selecting = { spec: { selector: { matchLabels: Labels } } }
type Service = { spec: { selector: Labels } }
type Policy = { spec: { podSelector: { matchLabels: Labels }; policyTypes: string[] } }

const manifests = await readManifests()
const manifest = <Kind>(name: string) => manifests.get(name) as unknown as Kind
const api = manifest<Workload>('deployment.yaml: Deployment')
const migrate = manifest<Workload>('migrate.yaml: Job')
const graphql = manifest<Workload>('graphql.yaml: Deployment')
const valkey = manifest<Workload>('valkey.yaml: Deployment')
const settings = manifest<{ data: Labels }>('configuration.yaml: ConfigMap').data
const selects = (selector: Record<string, string>, { spec }: Workload) =>
  Object.entries(selector).every(([label, value]) => spec.template.metadata.labels[label] === value)

describe.each([
  ['the service', api],
  ['GraphQL', graphql],
  ['the migration', migrate],
  ['Valkey', valkey],
])('%s', (_name, { spec }) => {
  const pod = spec.template.spec
  const [container] = pod.containers

  test('runs as an ordinary user, without privileges, on a read-only root', () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: expect.any(Number),
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod.automountServiceAccountToken).toBe(false)
  })

  test('requests resources, and limits its memory', () => {
    expect(container.resources).toMatchObject({
      requests: { cpu: expect.anything(), memory: expect.anything() },
      limits: { memory: expect.anything() },
    })
  })

  test('is under the network policy', () => {
    const files = ['network-policies.yaml', 'valkey.yaml']
    const policies = files.map((file) => manifest<Policy>(`${file}: NetworkPolicy`).spec)
    const own = policies.filter(({ podSelector }) => selects(podSelector.matchLabels, { spec }))
    expect(own.map(({ policyTypes }) => policyTypes)).toEqual([['Ingress', 'Egress']])
  })
})

test('the service accepts all settings', () => {
  expect(Object.keys(settings).filter((name) => !variableNames().includes(name))).toEqual([])
  expect(readConfig({ ...settings, SECRET_KEY: 'a secret key of the cluster, long' })).toMatchObject({
    shutdownDelayMs: 5_000,
    trustProxy: 1,
    photosS3: { bucket: 'studio-photos' },
  })
})

test("only the migration gets the administrator's login", () => {
  expect(new URL(settings.DATABASE_URL ?? '')).toMatchObject({ username: '', password: '' })
  for (const pod of [api, graphql]) expect(JSON.stringify(pod)).not.toContain('administrator')
  expect(JSON.stringify(migrate)).toContain('studio-inventory-administrator')
})

test('a pod has time to announce its end, finish requests and write what is left', () => {
  const config = readConfig({ ...settings, SECRET_KEY: 'a secret key of the cluster, long' })
  const needed = (config.shutdownDelayMs + config.shutdownTimeoutMs) / 1000 + 6
  for (const pod of [api, graphql]) expect(pod.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(needed)
})

test('a pod that has been ready answers in an outage of the database, and is not restarted', () => {
  for (const { spec } of [api, graphql]) {
    const [container] = spec.template.spec.containers
    expect(container.startupProbe?.httpGet?.path).toBe('/readyz')
    for (const probe of ['livenessProbe', 'readinessProbe'] as const)
      expect(container[probe]?.httpGet?.path).toBe('/healthz')
  }
})

test('a release replaces pods one by one, and two always run', () => {
  expect(api.spec).toMatchObject({ replicas: 2, strategy: { rollingUpdate: { maxUnavailable: 0 } } })
  const budget = manifest<Selecting>('deployment.yaml: PodDisruptionBudget')
  const selectorOf = (file: string) => manifest<Service>(`${file}: Service`).spec.selector
  expect(selects(budget.spec.selector.matchLabels, api)).toBe(true)
  expect(selects(selectorOf('service.yaml'), api)).toBe(true)
  for (const other of [migrate, graphql]) {
    expect(selects(selectorOf('service.yaml'), other)).toBe(false)
  }
  expect(selects(selectorOf('graphql.yaml'), graphql)).toBe(true)
  expect(selects(selectorOf('valkey.yaml'), valkey)).toBe(true)
})
