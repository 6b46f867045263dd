import type { Texts } from '../texts.ts';

export const texts: Texts['banner'] = {
  planned: '計劃維護 {{span}}：',
  now: '維護中，至 {{end}}：',
  close: '關閉公告',
};
