import { expect, test } from 'vitest';
import { openSecrets } from '#secrets.ts';
import { readSettings } from '#settings.ts';
import { endsAccount, type VendorRefusal, switchesOff } from './auto-switch.ts';

const refusal = (more: Partial<VendorRefusal>): VendorRefusal => ({ status: 400, message: 'no', ...more });

test.each<[why: string, refusal: VendorRefusal, ends: boolean]>([
  ['401', refusal({ status: 401 }), true],
  ['403 alone', refusal({ status: 403 }), false],
  ['429', refusal({ status: 429 }), false],
  ['500', refusal({ status: 500 }), false],
  ['a code', refusal({ code: 'invalid_api_key' }), true],
  ['another code', refusal({ code: 'context_length_exceeded' }), false],
  ['a type', refusal({ status: 429, type: 'insufficient_quota' }), true],
  ['a param', refusal({ param: 'PERMISSIONDENIED' }), true],
  ['a phrase', refusal({ message: 'Sorry: the account is blocked today.' }), true],
  ['the phrase in other letters', refusal({ message: 'The Account Is Blocked' }), false],
  ['nothing', refusal({ message: '' }), false],
])('%s', (_, told, ends) => {
  expect(endsAccount(told, 'one phrase\n\n  account is blocked  \n')).toBe(ends);
});

test('nothing is switched off while the setting is off; the phrases hold as long as nobody changes them', () => {
  const told = refusal({ message: 'Your credit balance is too low to access the API.' });
  const settings = (more: [string, string][]) => readSettings(new Map(more), openSecrets('x'.repeat(32)));
  expect(switchesOff(told, settings([]))).toBe(false);
  expect(switchesOff(told, settings([['AutomaticDisableChannelEnabled', 'true']]))).toBe(true);
  const silent = settings([
    ['AutomaticDisableChannelEnabled', 'true'],
    ['DisableChannelKeywords', ''],
  ]);
  expect(switchesOff(told, silent)).toBe(false);
});
