import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { serverAccount } from '../../src/embedded/programs.ts'
import { useFolder } from '../support/folder.ts'

const isRoot = process.getuid?.() === 0
const idOf = (flag: string, user: string) =>
  Number(execFileSync('id', [flag, user], { encoding: 'utf8', stdio: 'pipe' }))
const folder = useFolder()

test('the embedded server runs as this user, or for root as the first of the users that exist', async () => {
  const account = await serverAccount([folder.path], ['no-such-user', 'nobody'])
  expect(account).toEqual(isRoot ? { uid: idOf('-u', 'nobody'), gid: idOf('-g', 'nobody') } : undefined)
})

test('root is told what to do when there is no such user, and none is created', async () => {
  const choice = serverAccount([folder.path], ['no-such-user'])
  if (isRoot)
    await expect(choice).rejects.toThrow('create the user no-such-user, start as another, or set DATABASE_URL')
  else expect(await choice).toBeUndefined()
  expect(() => idOf('-u', 'no-such-user')).toThrow()
})
