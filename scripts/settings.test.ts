import { describe, expect, test } from 'vitest';
import { settingGroups } from '../console/src/screens/panel/setting/setting-groups.ts';
import { isSecret, isSettingKey, parseSetting, type SettingKey, settings } from '../server/src/settings.ts';

/** Changed elsewhere: with the groups, and by imports alone. */
const [WITHOUT_SETTING, WITHOUT_FIELD] = ['GroupRatio', 'OldTokenMaxId'];

const fields = settingGroups.flatMap((group) => group.fields).filter(({ key }) => key !== WITHOUT_SETTING);
const isValid = (key: string, value: unknown): boolean => isSettingKey(key) && parseSetting(key, String(value)).success;
const ofKinds = (...kinds: string[]) => fields.filter(({ kind }) => kinds.includes(kind));

test('each setting of the server has one field on the page', () => {
  const keys = Object.keys(settings).filter((key) => key !== WITHOUT_FIELD);
  expect(fields.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
});

test('the fields that are never shown again are those of secrets', () => {
  const secrets = (Object.keys(settings) as SettingKey[]).filter(isSecret);
  expect(
    ofKinds('secret')
      .map(({ key }) => key)
      .toSorted(),
  ).toEqual(secrets.toSorted());
});

describe.each(ofKinds('number', 'credits'))('the number $key', ({ key, min = 0, decimal }) => {
  test('has the same least value on both sides', () => {
    const step = decimal ? 0.001 : 1;
    expect([isValid(key, min), isValid(key, min - step)]).toEqual([true, false]);
  });

  test('is whole on both sides, or on neither', () => {
    expect(isValid(key, min + 1.5)).toBe(decimal ?? false);
  });
});

test.each(ofKinds('choice'))('the choice $key has the same values on both sides', ({ key, choices = [] }) => {
  const [issue] = (isSettingKey(key) && parseSetting(key, 'no such value').error?.issues) || [];
  expect(issue?.code === 'invalid_value' && new Set<unknown>(issue.values)).toEqual(new Set(choices));
  expect(choices.filter((choice) => !isValid(key, choice))).toEqual([]);
});

test.each(ofKinds('switch').filter(({ fixed }) => !fixed))('$key is a switch on both sides', ({ key }) => {
  expect(['true', 'false', 'yes'].map((text) => isValid(key, text))).toEqual([true, true, false]);
});
