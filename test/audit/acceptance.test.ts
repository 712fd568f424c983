import { expect, test } from 'vitest'
import { acceptance, UnknownRule } from '../../src/apps/audit/findings.ts'

const rules = ['usage_on_app', 'server_below_safe_version']
const finding = (rule: string, object: string, state?: string) =>
  ({ rule, object, level: 'error', finding: '', why: '', remedy: '', ...(state ? { state } : {}) }) as const

test('the name of a rule accepts its findings, and none on an object of that name', () => {
  const known = acceptance(rules, ['server_below_safe_version'])
  expect(known(finding('server_below_safe_version', 'server'))).toBe(true)
  expect(known(finding('usage_on_app', 'server_below_safe_version'))).toBe(false)
  expect(known(finding('usage_on_app', 'role server_below_safe_version'))).toBe(false)
})

test('an object is accepted by its kind and name, whatever rule says it', () => {
  const known = acceptance(rules, ['role dba_root'])
  expect(known(finding('usage_on_app', 'role dba_root'))).toBe(true)
  expect(known(finding('usage_on_app', 'role dba_roots'))).toBe(false)
})

test('an object in a state is accepted in that state alone', () => {
  const known = acceptance(rules, ['database@now', 'table public.copies@now'])
  expect(known(finding('differs_from_this_release', 'database', 'now'))).toBe(true)
  expect(known(finding('differs_from_this_release', 'database', 'later'))).toBe(false)
  expect(known(finding('not_installed_by_this_release', 'table public.copies', 'now'))).toBe(true)
  expect(known(finding('not_installed_by_this_release', 'table public.copies'))).toBe(false)
})

test.each(['view_not_invoked', 'dba_root', 'Role dba'])('%s is neither a rule nor an object', (name) => {
  expect(() => acceptance(rules, [name])).toThrow(UnknownRule)
})
