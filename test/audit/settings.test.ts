import { expect, test } from 'vitest'
import { settingNames, slots, unseenSettings, unsoundSettings } from '../../src/apps/audit/settings.ts'

const atPeace = { search_path: '"$user", public', row_security: 'on', archive_command: '', [slots]: '' }

test('settings as a server comes with them are sound', () => {
  expect(unsoundSettings(atPeace)).toEqual([])
})

test.each([
  ['search_path', 'evil, public'],
  ['lo_compat_privileges', 'on'],
  ['event_triggers', 'off'],
  ['archive_command', 'cp %p /elsewhere'],
  ['restore_command', 'run me'],
  ['transform_null_equals', 'on'],
  ['shared_preload_libraries', 'spy'],
  ['studio.id', '00000000-0000-4000-8000-000000000000'],
  [slots, 'copy'],
])('%s set to %s is not', (name, value) => {
  expect(unsoundSettings({ ...atPeace, [name]: value })).toMatchObject([{ name, value }])
})

test('what this major version has and a login is not shown is said', () => {
  const shown = Object.fromEntries(settingNames.map((name) => [name, '']))
  expect(unseenSettings({ ...shown, [slots]: '' }, 18)).toEqual([])
  const {
    jit_provider: _,
    oauth_validator_libraries: __,
    extension_control_path: ___,
    event_triggers: ____,
    ...rest
  } = shown
  expect(unseenSettings(rest, 18)).toEqual([
    'the setting event_triggers',
    'the setting extension_control_path',
    'the setting jit_provider',
    'the setting oauth_validator_libraries',
    slots,
  ])
  expect(unseenSettings(rest, 16)).toEqual(['the setting jit_provider', slots])
})
