import { expect, test } from 'vitest'
import { type Manifest, readManifests } from '../support/kubernetes.ts'
import { objectionTo, unknownFields } from './kubernetes.ts'

const manifests = await readManifests()

test.each([...manifests])('%s is what Kubernetes accepts', async (_name, manifest) => {
  expect(await objectionTo(manifest)).toBeUndefined()
})

test('no manifest has a field that Kubernetes does not know', async () => {
  expect(await unknownFields([...manifests.values()])).toBe('')
})

test('a wrong type and an unknown field would be found', async () => {
  const deployment = manifests.get('deployment.yaml: Deployment') as Manifest & { spec: object }
  expect(await objectionTo({ ...deployment, spec: { ...deployment.spec, replicas: 'two' } })).toContain('spec/replicas')
  expect(await unknownFields([{ ...deployment, spec: { ...deployment.spec, replica: 2 } }])).toContain('replica')
})
