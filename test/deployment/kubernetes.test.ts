import { describe, expect, test } from 'vitest'
import { readConfig, variableNames } from '../../src/config/config.ts'
import { readManifests } from '../support/kubernetes.ts'

// biome-ignore lint/suspicious/noExplicitAny: manifests as written; test/contract checks them against Kubernetes' schemas
type Any = any
const manifests = new Map<string, Any>(await readManifests())
const [api, migrate] = [manifests.get('deployment.yaml: Deployment'), manifests.get('migrate.yaml: Job')]
const graphql = manifests.get('graphql.yaml: Deployment')
const settings: Record<string, string> = manifests.get('configuration.yaml: ConfigMap').data
const selects = (selector: Any, pod: Any) =>
  Object.entries(selector).every(([label, value]) => pod.spec.template.metadata.labels[label] === value)

describe.each([
  ['the service', api],
  ['GraphQL', graphql],
  ['the migration', migrate],
])('%s', (_name, { spec }) => {
  const pod = spec.template.spec
  const [container] = pod.containers

  test('runs as nobody in particular, without privileges, on a root that it cannot write', () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod.automountServiceAccountToken).toBe(false)
  })

  test('says what it needs, and what memory it may take at most', () => {
    expect(container.resources).toMatchObject({
      requests: { cpu: expect.anything(), memory: expect.anything() },
      limits: { memory: expect.anything() },
    })
  })

  test('is under the network policy', () => {
    const { podSelector, policyTypes } = manifests.get('network-policies.yaml: NetworkPolicy').spec
    expect(selects(podSelector.matchLabels, { spec })).toBe(true)
    expect(policyTypes).toEqual(['Ingress', 'Egress'])
  })
})

test('the settings are those of the service, and it accepts them', () => {
  expect(Object.keys(settings).filter((name) => !variableNames().includes(name))).toEqual([])
  expect(readConfig({ ...settings, SECRET_KEY: 'a secret key of the cluster, long' })).toMatchObject({
    shutdownDelayMs: 5_000,
    trustProxy: 1,
    photosS3: { bucket: 'studio-photos' },
  })
})

test('the service gets no administrator: only the migration does', () => {
  expect(new URL(settings.DATABASE_URL ?? '')).toMatchObject({ username: '', password: '' })
  for (const pod of [api, graphql]) expect(JSON.stringify(pod)).not.toContain('administrator')
  expect(JSON.stringify(migrate)).toContain('studio-inventory-administrator')
})

test('a pod has the time to announce its end, to answer what is under way and to write what is left', () => {
  const config = readConfig({ ...settings, SECRET_KEY: 'a secret key of the cluster, long' })
  const needed = (config.shutdownDelayMs + config.shutdownTimeoutMs) / 1000 + 6
  for (const pod of [api, graphql]) expect(pod.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(needed)
})

test('a database that is away makes pods unready, and restarts none', () => {
  for (const { spec } of [api, graphql]) {
    const [container] = spec.template.spec.containers
    expect(container.readinessProbe.httpGet.path).toBe('/readyz')
    for (const probe of ['livenessProbe', 'startupProbe']) expect(container[probe].httpGet.path).toBe('/healthz')
  }
})

test('a release replaces pods one by one, and there are always two', () => {
  expect(api.spec).toMatchObject({ replicas: 2, strategy: { rollingUpdate: { maxUnavailable: 0 } } })
  const budget = manifests.get('deployment.yaml: PodDisruptionBudget').spec
  expect(selects(budget.selector.matchLabels, api)).toBe(true)
  expect(selects(manifests.get('service.yaml: Service').spec.selector, api)).toBe(true)
  for (const other of [migrate, graphql]) {
    expect(selects(manifests.get('service.yaml: Service').spec.selector, other)).toBe(false)
  }
  expect(selects(manifests.get('graphql.yaml: Service').spec.selector, graphql)).toBe(true)
})
