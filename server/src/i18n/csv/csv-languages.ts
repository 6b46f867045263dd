import type { Language } from '@relay-hub/contract';
import type { CsvTexts } from './csv-texts.ts';
import { en_US } from './en_US.ts';
import { ja_JP } from './ja_JP.ts';
import { zh_CN } from './zh_CN.ts';
import { zh_HK } from './zh_HK.ts';

export const csvTexts: Record<Language, CsvTexts> = { zh_CN, zh_HK, en_US, ja_JP };
