import { settings } from '#settings.ts';

/**
 * Plausible values by member name. The document gives types and limits but no meaning, and random values alone would
 * rarely pass validation.
 */
export const typical: Record<string, readonly unknown[]> = {
  type: [1, 8, 'tokens', 'times'],
  email: ['fuzz@hub.invalid'],
  code: ['123456'],
  id: [1001, 1002],
  symbol: ['vip', 'svip', 'fuzz'],
  group: ['default', 'vip'],
  groups: ['default'],
  models: ['gpt-4o', 'gpt-4o,gpt-4o-mini'],
  model: ['gpt-4o', 'fuzz-model'],
  model_headers: ['', '{"x-a":"b"}'],
  model_mapping: ['', '{"a":"gpt-4o"}'],
  proxy: [''],
  plugin: [{}],
  other: [''],
  tag: ['east', ''],
  statuses: ['used', 'expired'],
  order: ['-id', 'id', ''],
  size: [10, 100],
  page: [1, 2],
  language: ['en_US', 'zh_CN'],
  time_zone: ['UTC', 'Asia/Shanghai'],
  from: ['2026-11-01'],
  to: ['2026-11-19'],
  key: Object.keys(settings),
  value: ['true', 'false', '5', '', 'text'],
  username: ['fuzz-user', 'root'],
  password: ['a-password-of-somebody-who-fuzzes'],
  current_password: ['a-password-of-somebody-who-fuzzes'],
  base_url: ['', 'http://hub.invalid'],
  action: ['enable', 'disable', 'promote', 'demote', 'delete', 'add', 'overwrite', 'update'],
};
