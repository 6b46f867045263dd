import { expect, test } from 'vitest';
import { languageFor } from './language.ts';

test.each([
  ['zh', 'zh_CN'],
  ['zh-CN', 'zh_CN'],
  ['zh-Hans', 'zh_CN'],
  ['zh-Hans-HK', 'zh_CN'],
  ['zh-SG', 'zh_CN'],
  ['zh_CN', 'zh_CN'],
  ['zh-HK', 'zh_HK'],
  ['zh-TW', 'zh_HK'],
  ['zh-MO', 'zh_HK'],
  ['zh-Hant', 'zh_HK'],
  ['zh-Hant-TW', 'zh_HK'],
  ['ZH_hk', 'zh_HK'],
  ['en', 'en_US'],
  ['en-GB', 'en_US'],
  ['ja', 'ja_JP'],
  ['ja-JP', 'ja_JP'],
  ['zhx', undefined],
  ['fr-FR', undefined],
  ['*', undefined],
  ['', undefined],
])('%s is answered in %s', (tag, language) => expect(languageFor(tag)).toBe(language));
