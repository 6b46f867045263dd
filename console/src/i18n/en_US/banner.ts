import type { Texts } from '../texts.ts';

export const texts: Texts['banner'] = {
  planned: 'Planned maintenance {{span}}:',
  now: 'Maintenance until {{end}}:',
  close: 'Close announcement',
};
