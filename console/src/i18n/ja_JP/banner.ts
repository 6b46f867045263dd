import type { Texts } from '../texts.ts';

export const texts: Texts['banner'] = {
  planned: 'メンテナンス予定 {{span}}：',
  now: 'メンテナンス中（{{end}} まで）：',
  close: 'お知らせを閉じる',
};
