import { expect, test } from 'vitest'
import { readManifests } from '../support/kubernetes.ts'
import { objectionTo, unknownFields } from './kubernetes.ts'

const manifests = await readManifests()

test.each([...manifests])('%s is what Kubernetes accepts', async (_name, manifest) => {
  expect(await objectionTo(manifest)).toBeUndefined()
})

test('no manifest has a field that Kubernetes does not know', async () => {
  expect(await unknownFields([...manifests.values()])).toBe('')
})
