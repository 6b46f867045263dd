import type { Texts } from '../texts.ts';

export const texts: Texts['dashboard'] = {
  title: 'Dashboard',
  balance: 'Balance',
  used: 'Used',
  calls: 'Calls',
};
